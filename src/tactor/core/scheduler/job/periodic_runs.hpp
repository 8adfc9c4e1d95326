// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/tick.hpp"
#include "tactor/port/division.hpp"

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

/// The parts of `ticks * tick_ns - less_ns` divided by `divisor`. The quotient saturates.
struct quotient_ns {
  std::uint64_t quotient;
  std::uint64_t remainder;
};
/// Requires: `less_ns` is at most the product; `0 < divisor < 2^63`.
[[nodiscard]] constexpr quotient_ns divide(std::uint64_t ticks, std::uint32_t tick_ns,
                                           std::uint32_t less_ns, std::uint64_t divisor) noexcept {
  std::uint64_t passed_ns = 0;
  if (!__builtin_mul_overflow(ticks, std::uint64_t{tick_ns}, &passed_ns)) [[likely]] {
    const port::division parts = port::divide(passed_ns - less_ns, divisor);
    return {.quotient = parts.quotient, .remainder = parts.remainder};
  }
  // 96 bits, divided bit by bit: `high` and `low` are the words above and below 2^32.
  constexpr std::uint64_t word = std::uint64_t{1} << 32;
  const std::uint64_t product_low = (ticks % word) * tick_ns;
  std::uint64_t high = (ticks / word) * tick_ns + product_low / word;
  std::uint64_t low = product_low % word;
  if (low < less_ns) {
    --high;
    low += word;
  }
  low -= less_ns;
  quotient_ns result{.quotient = 0, .remainder = 0};
  bool fits = true;
  for (int bit = 95; bit >= 0; --bit) {
    const std::uint64_t next = bit >= 32 ? high >> (bit - 32) & 1 : low >> bit & 1;
    result.remainder = result.remainder * 2 + next;
    const bool one = result.remainder >= divisor;
    if (one) result.remainder -= divisor;
    fits = fits && (result.quotient >> 63) == 0;
    result.quotient = result.quotient * 2 + (one ? 1 : 0);
  }
  if (!fits) result.quotient = std::numeric_limits<std::uint64_t>::max();
  return result;
}

/// Counts the grid points from `first` on that `now` has reached. The next point is exact, so drift
/// does not accumulate. Requires: `now >= first.deadline()`, `0 < interval_ns < 2^63`, `0 < tick_ns
/// <= 1 s`.
[[nodiscard]] constexpr due_runs runs_until(tick now, grid_point first, std::uint64_t interval_ns,
                                            std::uint32_t tick_ns) noexcept {
  const quotient_ns missed =
      divide(ticks_between(first.whole, now), tick_ns, first.rest_ns, interval_ns);
  const std::uint64_t ahead_ns = interval_ns - missed.remainder;
  const port::division ahead = port::divide(ahead_ns, tick_ns);
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return {.runs = missed.quotient < most ? missed.quotient + 1 : most,
          .next = {.whole = later_by(now, ahead.quotient),
                   .rest_ns = static_cast<std::uint32_t>(ahead.remainder)}};
}

static_assert(runs_until(tick{10}, {.whole = tick{10}}, 30, 10).runs == 1);
static_assert(runs_until(tick{12}, {.whole = tick{10}}, 30, 10).next.deadline() == tick{13});
static_assert(runs_until(tick{13}, {.whole = tick{10}}, 30, 10).runs == 2);
static_assert(runs_until(tick{3}, {.whole = tick{2}, .rest_ns = 5}, 25, 10).next.rest_ns == 0);
// Ticks too coarse for 64 bits of nanoseconds.
static_assert(runs_until(tick::max(), {.whole = tick{1}}, 2'000'000'000, 1'000'000'000).runs ==
              tick::max().count / 2 + 1);

}  // namespace tactor::inline v0::internal
