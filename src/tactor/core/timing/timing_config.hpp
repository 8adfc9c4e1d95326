// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>

namespace tactor::inline v0 {

/// An invalid setting: its name, its value, and the allowed values.
struct config_error {
  const char* setting;
  std::int64_t value;
  const char* allowed;
  /// The settings that it is part of, with a dot: "scheduler.timing.". Empty: the name is complete.
  const char* section = "";
};

/// The sizes and limits of a timer wheel. `check` validates them.
struct timing_config {
  /// The length of one tick, 100 us to 1 s and a multiple of the clock's own unit. Timers are exact
  /// to one tick.
  duration resolution = std::chrono::milliseconds{10};
  /// A power of two, 2 to 2^28. Timers at most this many ticks ahead cost O(1); later ones are in
  /// the overflow, at O(log n).
  std::size_t wheel_slots = 512;
  /// Stands for as many as there are timers.
  static constexpr std::size_t as_many_as_timers = std::numeric_limits<std::size_t>::max();
  /// The number of timers that the overflow holds, at most 2^28. The default is the quota of the
  /// scheduler.
  std::size_t overflow_capacity = as_many_as_timers;
  /// From this fill level of the overflow on, in percent, 0 to 100, the scheduler warns that it is
  /// nearly full. It has no other effect.
  unsigned overflow_warning_percent = 75;
  /// The number of timers that have come into range and move from the overflow into the wheel per
  /// tick, before they are due. A timer that is due is moved regardless of this limit.
  std::size_t batch_limit = 100;

  /// The highest rate at which a periodic timer can run, in hertz: one run per tick.
  [[nodiscard]] constexpr double max_frequency() const noexcept {
    return 1e9 / static_cast<double>(resolution.nanoseconds());
  }
};

/// Returns: the first invalid setting, in the order of the members; nothing if all are valid.
/// `section`: as in `config_error`.
[[nodiscard]] std::expected<void, config_error> check(const timing_config& config,
                                                      const char* section = "") noexcept;

/// The purpose of a clock. Only the test kit uses `test`.
enum class clock_use : std::uint8_t { production, test };

/// Returns: the reason why timers of `config` cannot run on `clock`; nothing if they can. A
/// production system on a clock that only a test advances would hang silently, so that is refused.
/// `section`: as above.
[[nodiscard]] std::expected<void, config_error> check(const timing_config& config,
                                                      const monotonic_clock& clock, clock_use use,
                                                      const char* section = "") noexcept;

}  // namespace tactor::inline v0
