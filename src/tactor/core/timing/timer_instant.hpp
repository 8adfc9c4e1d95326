// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0 {

/// A reading of a clock: a number of its own units since its origin, and the length of one unit.
/// The unit may be finer than the ticks of a timer wheel (the host's is a nanosecond), never
/// coarser; `deadline.hpp` converts between the two.
struct timer_instant {
  std::uint64_t ticks = 0;
  std::uint32_t resolution_ns = 1;

  friend constexpr bool operator==(timer_instant, timer_instant) noexcept = default;
};

}  // namespace tactor::inline v0
