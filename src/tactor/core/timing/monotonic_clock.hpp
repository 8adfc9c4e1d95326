// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/timing/timer_instant.hpp"

#include <cstdint>

namespace tactor::inline v0 {

/// What advances the time, and so drives timers: the test that owns the clock, or real time.
enum class clock_kind : std::uint8_t { deterministic, realtime };

/// A source of the current time. The core reads it once per operation and keeps no value across
/// user code. Implementations: `host::steady_clock`, `bare::systick_clock`,
/// `bare::counter_clock`, `testkit::manual_clock`.
class monotonic_clock {
public:
  /// Never goes back and ignores changes of the wall clock. Context: any thread or interrupt.
  [[nodiscard]] virtual timer_instant now() const noexcept = 0;
  /// The time of this call, for a deadline: never before `now`, and a little later where that is
  /// cheaper to find out. Of one thread, it never goes back. Context: any thread; an interrupt where
  /// it is `now`.
  [[nodiscard]] virtual timer_instant stamp() const noexcept { return now(); }
  /// About the time of this call, for a measurement: off by less than a microsecond, mostly; of two threads, a later
  /// one may be less. Context: as `stamp`.
  [[nodiscard]] virtual timer_instant quick() const noexcept { return now(); }
  /// `quick` and so much more is not before `now`, in nanoseconds. Constant.
  [[nodiscard]] virtual std::uint64_t quick_error_ns() const noexcept { return 0; }
  [[nodiscard]] virtual clock_kind kind() const noexcept = 0;

protected:
  ~monotonic_clock() = default;
};

}  // namespace tactor::inline v0
