// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/port/division.hpp"

#include <cstdint>
#include <expected>

namespace tactor::inline v0 {

/// The longest delay: 2^31 - 1 ticks, 248 days at 10 ms.
inline constexpr std::uint64_t longest_delay_ticks = 0x7FFF'FFFF;

/// Says why a delay is refused: it is zero, negative, or longer than `longest_delay_ticks`.
enum class delay_error : std::uint8_t { invalid_delay };

/// Says what a delay of zero means: an error, or (the first run of a periodic job) the next tick.
enum class zero_delay : std::uint8_t { refused, next_tick };

namespace internal {

/// `instant`, cut into whole ticks and the rest in nanoseconds.
struct split_instant {
  tick whole;
  std::uint64_t rest_ns;
};

// In units of the clock, never in nanoseconds: a coarse clock's nanoseconds need not fit 64 bits.
constexpr split_instant split(timer_instant instant, duration resolution) noexcept {
  const auto tick_ns = static_cast<std::uint64_t>(resolution.nanoseconds());
  const bool nanoseconds = instant.resolution_ns == 1;  // the host's clock: no division
  const std::uint64_t units_per_tick =
      nanoseconds ? tick_ns : port::divide(tick_ns, instant.resolution_ns).quotient;
  const port::division in_ticks = port::divide(instant.ticks, units_per_tick);
  return {.whole = {in_ticks.quotient}, .rest_ns = in_ticks.remainder * instant.resolution_ns};
}

constexpr std::uint64_t rounded_up(std::uint64_t dividend, std::uint64_t divisor) noexcept {
  const port::division parts = port::divide(dividend, divisor);
  return parts.quotient + (parts.remainder != 0 ? 1 : 0);
}

}  // namespace internal

/// The tick that contains `instant`, on a time line of ticks of `resolution`.
/// Requires: what `check(config, clock, use)` checks.
[[nodiscard]] constexpr tick tick_at(timer_instant instant, duration resolution) noexcept {
  return internal::split(instant, resolution).whole;
}

/// The first reading of a clock with such units that is in the tick `at`: the inverse of `tick_at`.
[[nodiscard]] constexpr std::uint64_t first_reading_of(tick at, std::uint32_t unit_ns,
                                                       duration resolution) noexcept {
  const auto tick_ns = static_cast<std::uint64_t>(resolution.nanoseconds());
  return at.count * port::divide(tick_ns, unit_ns).quotient;
}

/// The first tick at which `delay`, counted from `start`, is over: rounded up, so never early, and
/// at least one tick ahead. Requires: see `tick_at`.
[[nodiscard]] constexpr std::expected<tick, delay_error>
deadline_after(internal::split_instant start, duration delay, duration resolution,
               zero_delay zero = zero_delay::refused) noexcept {
  const bool too_short = zero == zero_delay::refused ? delay <= duration{} : delay < duration{};
  if (too_short) return std::unexpected{delay_error::invalid_delay};

  const auto tick_ns = static_cast<std::uint64_t>(resolution.nanoseconds());
  const auto delay_ns = static_cast<std::uint64_t>(delay.nanoseconds());
  if (delay_ns > longest_delay_ticks * tick_ns) {  // a tick is at most a second, so this fits
    return std::unexpected{delay_error::invalid_delay};
  }

  const std::uint64_t ahead = internal::rounded_up(start.rest_ns + delay_ns, tick_ns);
  return later_by(start.whole, ahead == 0 ? 1 : ahead);
}

/// Overload for an instant that is needed only once.
[[nodiscard]] constexpr std::expected<tick, delay_error>
deadline_after(timer_instant now, duration delay, duration resolution,
               zero_delay zero = zero_delay::refused) noexcept {
  return deadline_after(internal::split(now, resolution), delay, resolution, zero);
}

}  // namespace tactor::inline v0
