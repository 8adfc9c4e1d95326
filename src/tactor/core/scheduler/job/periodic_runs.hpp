// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/tick.hpp"

#include <cstdint>
#include <limits>

namespace tactor::inline v0::internal {

/// A point on the grid of a fixed-rate job, exact to the nanosecond: it may be between two ticks.
struct grid_point {
  tick whole;
  std::uint32_t rest_ns = 0;  // less than a tick

  /// The first tick at or after this point.
  [[nodiscard]] constexpr tick deadline() const noexcept {
    return later_by(whole, rest_ns == 0 ? 0 : 1);
  }
  friend constexpr bool operator==(grid_point, grid_point) noexcept = default;
};

/// The due runs of a fixed-rate job, and the next grid point.
struct due_runs {
  std::uint64_t runs;
  grid_point next;
};

/// Counts the grid points from `first` on that `now` has reached. Each point is computed from the
/// previous point and not from `now`, so drift does not accumulate. Requires:
/// `now >= first.deadline()`, `interval_ns > 0`, `0 < tick_ns <= 1 s`.
[[nodiscard]] constexpr due_runs runs_until(tick now, grid_point first, std::uint64_t interval_ns,
                                            std::uint32_t tick_ns) noexcept {
  std::uint64_t passed_ns = 0;
  if (__builtin_mul_overflow(ticks_between(first.whole, now), std::uint64_t{tick_ns}, &passed_ns)) {
    passed_ns = std::numeric_limits<std::uint64_t>::max();
  }
  const std::uint64_t missed = (passed_ns - first.rest_ns) / interval_ns;
  const std::uint64_t ahead_ns = missed * interval_ns;  // at most passed_ns
  // In two steps, each of which fits: whole ticks first.
  const std::uint64_t rest = first.rest_ns + ahead_ns % tick_ns + interval_ns % tick_ns;
  const std::uint64_t ticks = ahead_ns / tick_ns + interval_ns / tick_ns + rest / tick_ns;
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return {.runs = missed < most ? missed + 1 : most,
          .next = {.whole = later_by(first.whole, ticks),
                   .rest_ns = static_cast<std::uint32_t>(rest % tick_ns)}};
}

static_assert(runs_until(tick{10}, {.whole = tick{10}}, 30, 10).runs == 1);
static_assert(runs_until(tick{12}, {.whole = tick{10}}, 30, 10).next.deadline() == tick{13});
static_assert(runs_until(tick{13}, {.whole = tick{10}}, 30, 10).runs == 2);
static_assert(runs_until(tick{3}, {.whole = tick{2}, .rest_ns = 5}, 25, 10).next.rest_ns == 0);
// With ticks too coarse for 64 bits of nanoseconds the count saturates, 584 years ahead.
static_assert(runs_until(tick::max(), {.whole = tick{1}}, 1'000'000'000, 1'000'000'000).runs >
              1'000'000'000);

}  // namespace tactor::inline v0::internal
