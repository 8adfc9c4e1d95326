// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/timing/deadline.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>

namespace tactor {
namespace {

using namespace std::chrono_literals;

constexpr timer_instant at_ns(std::uint64_t ns) {
  return {.ticks = ns, .resolution_ns = 1};
}

// Ticks of 10 ms; -1 for a refused delay.
std::int64_t deadline_10ms(timer_instant now, duration delay) {
  const auto deadline = deadline_after(now, delay, 10ms);
  return deadline ? static_cast<std::int64_t>(deadline->count) : -1;
}

TEST(deadline, the_first_reading_in_a_tick_is_where_tick_at_changes) {
  for (const std::uint32_t unit_ns : {1u, 1000u, 10'000'000u}) {
    const std::uint64_t first = first_reading_of(tick{7}, unit_ns, 10ms);
    EXPECT_EQ(tick_at({.ticks = first, .resolution_ns = unit_ns}, 10ms), tick{7});
    EXPECT_EQ(tick_at({.ticks = first - 1, .resolution_ns = unit_ns}, 10ms), tick{6});
  }
}

// spec: T4
// case: SO-04
TEST(deadline, rounds_up_to_whole_ticks) {
  EXPECT_EQ(deadline_10ms(at_ns(0), 20ms), 2);
  EXPECT_EQ(deadline_10ms(at_ns(0), 25ms), 3);
  EXPECT_EQ(deadline_10ms(at_ns(0), 1ns), 1);
  EXPECT_EQ(deadline_10ms(at_ns(0), 10ms + 1ns), 2);
}

// spec: T4
TEST(deadline, counts_from_the_exact_instant_and_not_from_the_previous_tick) {
  EXPECT_EQ(deadline_10ms(at_ns(9'999'999), 10ms), 2);
  EXPECT_EQ(deadline_10ms(at_ns(9'999'999), 1ns), 1);
  EXPECT_EQ(deadline_10ms(at_ns(9'999'999), 2ns), 2);
  EXPECT_EQ(deadline_10ms(at_ns(10'000'000), 10ms), 2);
}

// spec: T5
TEST(deadline, refuses_zero_and_negative_delays) {
  EXPECT_EQ(deadline_10ms(at_ns(0), 0ms), -1);
  EXPECT_EQ(deadline_10ms(at_ns(0), -1ns), -1);
  EXPECT_EQ(deadline_10ms(at_ns(0), duration::min()), -1);
}

// spec: T5
TEST(deadline, the_longest_delay_is_two_to_the_31_minus_one_ticks) {
  constexpr auto longest = 10ms * 0x7FFF'FFFFll;

  EXPECT_EQ(deadline_10ms(at_ns(0), longest), 0x7FFF'FFFF);
  EXPECT_EQ(deadline_10ms(at_ns(0), longest + 1ns), -1);
  EXPECT_EQ(deadline_10ms(at_ns(0), longest + 10ms), -1);
  EXPECT_EQ(deadline_10ms(at_ns(0), duration::max()), -1);
  EXPECT_EQ(deadline_10ms(at_ns(0), std::chrono::hours::max()), -1);
  // The delay is checked, not its end: the longest delay is valid half a tick into a tick.
  EXPECT_EQ(deadline_10ms(at_ns(5'000'000), longest), 0x8000'0000);
}

// spec: T5
TEST(deadline, a_first_run_after_zero_is_on_the_next_tick) {
  const auto first = [](std::uint64_t ns, duration delay) {
    const auto deadline = deadline_after(at_ns(ns), delay, 10ms, zero_delay::next_tick);
    return deadline ? static_cast<std::int64_t>(deadline->count) : -1;
  };

  EXPECT_EQ(first(0, 0ms), 1);
  EXPECT_EQ(first(10'000'000, 0ms), 2);
  EXPECT_EQ(first(10'000'001, 0ms), 2);
  EXPECT_EQ(first(0, 10ms), 1);
  EXPECT_EQ(first(0, -1ns), -1);
  EXPECT_EQ(first(0, duration::max()), -1);
}

// spec: T5
TEST(deadline, nothing_wraps_near_the_middle_or_the_end_of_64_bits) {
  constexpr std::uint64_t middle = std::uint64_t{1} << 63;
  EXPECT_EQ(deadline_10ms(at_ns(middle - 200'000'000), 400ms),
            static_cast<std::int64_t>((middle + 200'000'000 + 9'999'999) / 10'000'000));

  constexpr std::uint64_t end = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(deadline_10ms(at_ns(end), 10ms), static_cast<std::int64_t>(end / 10'000'000 + 2));

  // A clock that counts in ticks of its own may have any number of them.
  const timer_instant late{.ticks = end - 1, .resolution_ns = 10'000'000};
  EXPECT_EQ(deadline_after(late, 10ms, 10ms).value_or(tick{}), tick::max());
  EXPECT_EQ(deadline_after(late, 10s, 10ms).value_or(tick{}), tick::max());
}

// spec: T1
TEST(deadline, a_coarse_clock_gives_the_same_ticks_as_a_fine_one) {
  const timer_instant fine = at_ns(1'234'000'000);
  const timer_instant coarse{.ticks = 1234, .resolution_ns = 1'000'000};

  EXPECT_EQ(tick_at(fine, 10ms), tick{123});
  EXPECT_EQ(tick_at(coarse, 10ms), tick{123});
  EXPECT_EQ(deadline_10ms(coarse, 7ms), deadline_10ms(fine, 7ms));
  EXPECT_EQ(deadline_10ms(coarse, 6ms), 124);
  EXPECT_EQ(deadline_10ms(coarse, 7ms), 125);
}

// spec: T4
TEST(deadline, is_never_early_and_never_a_whole_tick_late) {
  for (std::uint64_t now = 0; now < 3'000; now += 7) {
    for (std::int64_t delay = 1; delay < 3'000; delay += 11) {
      const auto deadline = deadline_after(at_ns(now), std::chrono::nanoseconds{delay}, 1us);
      const std::uint64_t wanted = now + static_cast<std::uint64_t>(delay);
      const std::uint64_t fires = deadline.value_or(tick{}).count * 1000;
      ASSERT_GE(fires, wanted);
      ASSERT_LT(fires, wanted + 1000);
    }
  }
}

}  // namespace
}  // namespace tactor
