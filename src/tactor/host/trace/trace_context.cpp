// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/trace/trace_context.hpp"

#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/cell/trace_recorder.hpp"

#include <cstddef>

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
  const internal::trace_of_thread& here = internal::this_thread().trace;
  if (here.recorder == nullptr || here.place.span == 0 || !here.place.sampled) return {};
  return trace_context{.trace_high = here.place.trace_high,
                       .trace_low = here.place.trace_low,
                       .span = here.place.span};
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
    : before_(internal::this_thread().trace.place) {
  internal::this_thread().trace.place = {.trace_high = of.trace_high,
                                         .trace_low = of.trace_low,
                                         .span = of.span,
                                         .thread = before_.thread,
                                         .sampled = of.sampled};
}
trace_scope::~trace_scope() {
  internal::this_thread().trace.place = before_;
}

}  // namespace tactor::inline v0
