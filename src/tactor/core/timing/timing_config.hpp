// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>

namespace tactor::inline v0 {

/// An impossible setting: which one, what it was, and what would be allowed.
struct config_error {
  const char* setting;
  std::int64_t value;
  const char* allowed;
};

/// How a timing wheel is cut. `check` says whether it can be.
struct timing_config {
  /// The length of one tick. Timers are exact to it.
  duration resolution = std::chrono::milliseconds{10};
  /// Timers at most this many ticks ahead cost O(1); farther ones wait in the overflow, at O(log
  /// n).
  std::size_t wheel_slots = 512;
  /// Stands for as many as there may be timers.
  static constexpr std::size_t as_many_as_timers = std::numeric_limits<std::size_t>::max();
  /// How many timers the overflow holds. The default is the quota of the scheduler.
  std::size_t overflow_capacity = as_many_as_timers;
  /// From how full an overflow on `near_capacity()` says so, in percent. Decides nothing else.
  unsigned overflow_warning_percent = 75;
  /// How many timers that have come into range move from the overflow into the wheel per tick,
  /// ahead of need. A timer that is due is moved whatever this says.
  std::size_t batch_limit = 100;

  /// The highest rate at which a periodic timer can run, in hertz: one run per tick.
  [[nodiscard]] constexpr double max_frequency() const noexcept {
    return 1e9 / static_cast<double>(resolution.nanoseconds());
  }
};

/// Returns: the first setting that cannot work, in the order of the members; nothing if all can.
[[nodiscard]] std::expected<void, config_error> check(const timing_config& config) noexcept;

}  // namespace tactor::inline v0
