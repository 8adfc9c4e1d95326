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
  /// The time of this call, for a deadline, or for a measurement that is made as often as messages:
  /// never before `now`, and up to some microseconds after it where that is cheaper to find out. Of
  /// one thread, it never goes back. It exists because with `now` in its place an awaited ask took
  /// 1.38 times as long on the host. Context: any thread; an interrupt where it is `now`.
  [[nodiscard]] virtual timer_instant stamp() const noexcept { return now(); }
  [[nodiscard]] virtual clock_kind kind() const noexcept = 0;

protected:
  ~monotonic_clock() = default;
};

}  // namespace tactor::inline v0
