// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <limits>

namespace tactor::inline v0 {

/// A reading of a clock: a number of its own units since its origin, and the length of one unit.
/// The unit may be finer than the ticks of a timer wheel (the host's is a nanosecond), never
/// coarser; `deadline.hpp` converts between the two.
struct timer_instant {
  std::uint64_t ticks = 0;
  std::uint32_t resolution_ns = 1;

  friend constexpr bool operator==(timer_instant, timer_instant) noexcept = default;
};

namespace internal {

/// `units` of a clock in nanoseconds, or as many as fit: a coarse clock can count further.
[[nodiscard]] constexpr std::uint64_t saturated_ns(std::uint64_t units,
                                                   std::uint32_t unit_ns) noexcept {
  std::uint64_t product = 0;
  const bool fits = !__builtin_mul_overflow(units, std::uint64_t{unit_ns}, &product);
  return fits ? product : std::numeric_limits<std::uint64_t>::max();
}
static_assert(saturated_ns(std::uint64_t{1} << 55, 1'000'000'000) ==
              std::numeric_limits<std::uint64_t>::max());
/// The same of a reading.
[[nodiscard]] constexpr std::uint64_t saturated_ns(timer_instant reading) noexcept {
  return saturated_ns(reading.ticks, reading.resolution_ns);
}

}  // namespace internal

/// Names what advances the time, and so drives timers: the test that owns the clock, or real time.
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
