// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/observe/log_limit.hpp"

#include "tactor/base/lock_guard.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

bool log_throttle::surely_silent(const log_limit& limit, std::uint64_t now_ns) const noexcept {
  const mark until = silent_until_.load(relaxed);  // relaxed: an old value costs a lock
  if (until == 0) return false;
  const mark left = until - mark_of(now_ns);  // enormous if it is over
  return left != 0 && left <= mark_of(limit.interval_ns);
}

bool log_throttle::is_over(const log_limit& limit, std::uint64_t now_ns) const noexcept {
  // Another thread's clock may have been read before the interval began.
  return !open_ || (now_ns >= begin_ns_ && now_ns - begin_ns_ >= limit.interval_ns);
}

std::uint32_t log_throttle::begin_interval(std::uint64_t now_ns) noexcept {
  open_ = true;
  begin_ns_ = now_ns;
  admitted_ = 0;
  silent_until_.store(0, relaxed);        // relaxed: see surely_silent; keeps inv 1
  return left_out_.exchange(0, relaxed);  // relaxed: a number; keeps inv 2
}

void log_throttle::leave_out() noexcept {
  left_out_.fetch_add(1, relaxed);  // relaxed: a number
}

log_throttle::verdict log_throttle::admit(const log_limit& limit, std::uint64_t now_ns) noexcept {
  if (limit.interval_ns == 0) return {.admitted = true, .left_out = 0};
  if (surely_silent(limit, now_ns)) {
    leave_out();
    return {.admitted = false, .left_out = 0};
  }
  const lock_guard lock{mutex_};
  std::uint32_t left_out = 0;
  if (is_over(limit, now_ns)) left_out = begin_interval(now_ns);
  const bool admitted = admitted_ < limit.records;
  if (admitted) ++admitted_;
  if (admitted_ >= limit.records) {
    const mark until = mark_of(begin_ns_ + limit.interval_ns);
    silent_until_.store(until == 0 ? 1 : until, relaxed);  // relaxed: as above; keeps inv 1
  }
  if (!admitted) leave_out();
  return {.admitted = admitted, .left_out = left_out};
}

std::uint32_t log_throttle::take_left_out(const log_limit& limit, std::uint64_t now_ns) noexcept {
  if (left_out_.load(relaxed) == 0) return 0;  // relaxed: a number, and there is a next time
  const lock_guard lock{mutex_};
  if (!is_over(limit, now_ns)) return 0;
  return left_out_.exchange(0, relaxed);  // relaxed: a number; keeps inv 2
}

}  // namespace tactor::inline v0::internal
