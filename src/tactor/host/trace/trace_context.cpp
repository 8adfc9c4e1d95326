// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/trace/trace_context.hpp"

#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/actor/cell/trace_recorder.hpp"

#include <cstddef>
#include <utility>

namespace tactor::inline v0 {
namespace {

constexpr std::string_view digits = "0123456789abcdef";
// vv-tttttttttttttttttttttttttttttttt-pppppppppppppppp-ff
constexpr std::size_t length = 55;

/// Reads `text`, which is up to 16 digits, lower case. Returns: nothing if it is something else.
std::optional<std::uint64_t> from_hex(std::string_view text) noexcept {
  std::uint64_t value = 0;
  for (const char each : text) {
    const std::size_t digit = digits.find(each);
    if (digit == std::string_view::npos) return {};
    value = value << 4U | digit;
  }
  return value;
}

void add_hex(std::string& to, std::uint64_t value) {
  for (unsigned shift = 64; shift != 0;) {
    shift -= 4;
    to += digits[value >> shift & 0xFU];
  }
}

thread_local const trace_context* newest_scope = nullptr;

}  // namespace

std::optional<trace_context> trace_context::parse(std::string_view traceparent) noexcept {
  if (traceparent.size() < length) return {};
  const auto version = from_hex(traceparent.substr(0, 2));
  if (!version || *version == 0xFF) return {};
  // A later version may have more, behind another dash.
  const bool has_more = traceparent.size() > length;
  if (has_more && (*version == 0 || traceparent[length] != '-')) return {};
  if (traceparent[2] != '-' || traceparent[35] != '-' || traceparent[52] != '-') return {};
  const auto high = from_hex(traceparent.substr(3, 16));
  const auto low = from_hex(traceparent.substr(19, 16));
  const auto span = from_hex(traceparent.substr(36, 16));
  const auto flags = from_hex(traceparent.substr(53, 2));
  if (!high || !low || !span || !flags) return {};
  if ((*high | *low) == 0 || *span == 0) return {};
  return trace_context{
      .trace_high = *high, .trace_low = *low, .span = *span, .sampled = (*flags & 1U) != 0};
}

std::optional<trace_context> trace_context::current() noexcept {
  const internal::trace_recorder* const by = internal::this_thread().trace.recorder;
  const internal::trace_cause cause = by == nullptr ? internal::trace_cause{} : by->current();
  if (cause.span == 0) return {};
  return trace_context{
      .trace_high = cause.trace_high, .trace_low = cause.trace_low, .span = cause.span};
}

std::string trace_context::traceparent() const {
  std::string text;
  text.reserve(length);
  text += "00-";
  add_hex(text, trace_high);
  add_hex(text, trace_low);
  text += '-';
  add_hex(text, span);
  text += sampled ? "-01" : "-00";
  return text;
}

trace_scope::trace_scope(const trace_context& of) noexcept
    : context_(of), before_(std::exchange(newest_scope, &context_)) {}
trace_scope::~trace_scope() {
  newest_scope = before_;
}

const trace_context* internal::scope_of_thread() noexcept {
  return newest_scope;
}

}  // namespace tactor::inline v0
