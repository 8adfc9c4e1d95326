// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <cstdint>

namespace tactor::inline v0 {

/// Limits how many records of one kind are written.
struct log_limit {
  std::uint32_t records = 10;                  // in each interval; 0: none, only their number
  std::uint64_t interval_ns = 10'000'000'000;  // 0: no limit; less than 20 days

  static constexpr std::uint64_t longest_interval_ns = 20ULL * 24 * 3600 * 1'000'000'000;
};

namespace internal {

/// Admits `records` events in an interval, and counts the others. An interval begins with the first
/// event after the end of the last interval.
///
/// Thread safety: everything from any thread. An event that is left out takes no lock, except in
/// the last two milliseconds of the interval.
///
/// inv 1  `silent_until_` is 0 or the end of an interval in which no more is admitted.
/// inv 2  `left_out_` counts the events left out and not reported yet.
class log_throttle {
public:
  /// Says whether the event is admitted, and how many to report as left out.
  struct [[nodiscard]] verdict {
    bool admitted;
    std::uint32_t left_out;  // in the interval before; reported once
  };

  /// Decides whether the event at `now_ns` is admitted.
  verdict admit(const log_limit& limit, std::uint64_t now_ns) noexcept;

  /// Returns: how many were left out and not reported yet, if the interval is over; otherwise 0.
  [[nodiscard]] std::uint32_t take_left_out(const log_limit& limit, std::uint64_t now_ns) noexcept;
  /// Returns: how many were left out and not reported yet, also during the interval.
  [[nodiscard]] std::uint32_t take_all_left_out() noexcept {
    return left_out_.exchange(0, relaxed);  // relaxed: a number; keeps inv 2
  }

private:
  // A time in units of 2^20 ns, a millisecond or so, which fits an atomic of every port. It may
  // wrap around.
  using mark = std::uint32_t;
  static constexpr mark mark_of(std::uint64_t ns) noexcept { return static_cast<mark>(ns >> 20U); }

  [[nodiscard]] bool surely_silent(const log_limit& limit, std::uint64_t now_ns) const noexcept;
  [[nodiscard]] bool is_over(const log_limit& limit, std::uint64_t now_ns) const noexcept;
  std::uint32_t begin_interval(std::uint64_t now_ns) noexcept;
  void leave_out() noexcept;

  // Written by: the holder of mutex_. Read by: all. Publishes: nothing; a reader of an old value
  // checks again under the lock.
  port::atomic<mark> silent_until_;
  // Written by: all. Read by: the holder of mutex_. Publishes: nothing, it is a number.
  port::atomic<std::uint32_t> left_out_;
  port::mutex mutex_;
  // protected by mutex_
  std::uint64_t begin_ns_ = 0;
  std::uint32_t admitted_ = 0;
  bool open_ = false;  // an interval has begun
};

}  // namespace internal
}  // namespace tactor::inline v0
