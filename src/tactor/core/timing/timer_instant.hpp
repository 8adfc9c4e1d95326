// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0 {

/// What a clock says: a number of its own units since its origin, and the length of one unit. The
/// unit may be finer than the ticks of a timing wheel (the host's is a nanosecond), never coarser;
/// `deadline.hpp` brings the two together.
struct timer_instant {
  std::uint64_t ticks = 0;
  std::uint32_t resolution_ns = 1;

  friend constexpr bool operator==(timer_instant, timer_instant) noexcept = default;
};

}  // namespace tactor::inline v0
