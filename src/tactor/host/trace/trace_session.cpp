// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/trace/trace_session.hpp"

#include "tactor/base/duration.hpp"
#include "tactor/base/treap.hpp"
#include "tactor/core/system/system_core.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

std::uint32_t next_number() noexcept {
  static port::atomic<std::uint32_t> last;  // Written by: traces that start. Publishes: nothing.
  return last.fetch_add(1, relaxed) + 1;    // relaxed: a number
}

/// Returns: a number that looks random.
constexpr std::uint64_t mixed(std::uint64_t value) noexcept {
  return mixed_bits(value + 0x9E37'79B9'7F4A'7C15U);  // 0 would stay 0
}

}  // namespace

trace_session::trace_session(system_core& system, const trace_options& options,
                             std::uint64_t now_ns, std::int64_t to_unix_ns, std::uint64_t salt)
    : system_(system),
      most_(options.most),
      every_(std::max(options.every, 1U)),
      path_(options.path),
      message_(options.message),
      start_ns_(now_ns),
      end_ns_(later(now_ns, options.longest)),
      to_unix_ns_(to_unix_ns),
      seed_(mixed(now_ns ^ static_cast<std::uint64_t>(to_unix_ns) ^ salt)),
      number_(next_number()) {}

bool trace_session::is_over() const noexcept {
  return is_over(system_.now_ns());
}

std::uint64_t trace_session::id_at(std::uint64_t place) const noexcept {
  return mixed(seed_ ^ place);
}

trace_buffer* trace_session::join(std::string_view thread_name) noexcept {
  try {
    const std::scoped_lock lock{mutex_};
    const std::size_t number = buffers_.size();
    if (number == most_threads) return nullptr;
    buffers_.push_back(std::make_unique<trace_buffer>(*this, static_cast<std::uint16_t>(number),
                                                      std::string{thread_name}));
    trace_buffer* const fresh = buffers_.back().get();
    if (number == 0) outside_ = fresh;
    return fresh;
  } catch (const std::exception&) {
    return nullptr;
  }
}

bool trace_session::allow_span() noexcept {
  if (added_.load(relaxed) >= most_) return false;  // relaxed: a number
  return added_.fetch_add(1, relaxed) < most_;      // relaxed: a number
}

trace_session::contents trace_session::read() const {
  contents all;
  all.start_ns = start_ns_;
  all.to_unix_ns = to_unix_ns_;
  {
    const std::scoped_lock lock{mutex_};
    for (const auto& each : buffers_) {
      each->add_to(all.spans, all.names, all.lost);
      all.threads.push_back(each->thread_name());
    }
  }
  std::sort(all.spans.begin(), all.spans.end(), [](const span_facts& a, const span_facts& b) {
    return a.begun_ns != b.begun_ns ? a.begun_ns < b.begun_ns : a.place < b.place;
  });
  for (std::size_t i = 0; i < all.spans.size(); ++i)
    all.by_id.emplace(all.spans[i].id, i);
  return all;
}

}  // namespace tactor::inline v0::internal
