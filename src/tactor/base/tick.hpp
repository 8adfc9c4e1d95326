// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace tactor::inline v0 {

/// A point on the time line of a timer wheel: a number of ticks since the origin of its clock.
/// 64 bits, so that no tick counter wraps while a program runs; arithmetic saturates.
struct tick {
  std::uint64_t count = 0;

  [[nodiscard]] static constexpr tick max() noexcept {
    return {std::numeric_limits<std::uint64_t>::max()};
  }

  friend constexpr auto operator<=>(tick, tick) noexcept = default;
};

/// Returns: the tick that is `distance` ticks after `from`, or `tick::max()`.
[[nodiscard]] constexpr tick later_by(tick from, std::uint64_t distance) noexcept {
  const bool fits = distance <= tick::max().count - from.count;
  return fits ? tick{from.count + distance} : tick::max();
}

/// Counts the ticks from `from` to `to`; 0 if `to` is not after `from`.
[[nodiscard]] constexpr std::uint64_t ticks_between(tick from, tick to) noexcept {
  return to > from ? to.count - from.count : 0;
}

static_assert(later_by(tick::max(), 1) == tick::max());
static_assert(ticks_between(tick{5}, tick{3}) == 0);

}  // namespace tactor::inline v0
