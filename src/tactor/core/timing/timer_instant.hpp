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

}  // namespace internal

}  // namespace tactor::inline v0
