// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/duration.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>

namespace tactor {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t max_ns = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t min_ns = std::numeric_limits<std::int64_t>::min();

static_assert(duration{std::chrono::hours::max()} == duration::max());
static_assert(duration{std::chrono::hours::min()} == duration::min());
static_assert(duration{std::chrono::duration<std::int64_t, std::pico>{1}}.nanoseconds() == 1);

TEST(duration, takes_any_chrono_unit) {
  EXPECT_EQ(duration{2s}.nanoseconds(), 2'000'000'000);
  EXPECT_EQ(duration{250us}.nanoseconds(), 250'000);
  EXPECT_EQ(duration{-3ms}.nanoseconds(), -3'000'000);
  EXPECT_EQ(duration{1.5ms}.nanoseconds(), 1'500'000);
}

// spec: T5
TEST(duration, what_does_not_fit_becomes_the_largest_or_smallest) {
  EXPECT_EQ(duration{std::chrono::hours::max()}.nanoseconds(), max_ns);
  EXPECT_EQ(duration{std::chrono::hours::min()}.nanoseconds(), min_ns);
  EXPECT_EQ(duration{std::chrono::nanoseconds::max()}.nanoseconds(), max_ns);
  using unsigned_seconds = std::chrono::duration<std::uint64_t>;
  EXPECT_EQ(duration{unsigned_seconds::max()}.nanoseconds(), max_ns);
  using real_seconds = std::chrono::duration<double>;
  EXPECT_EQ(duration{real_seconds{1e300}}.nanoseconds(), max_ns);
  EXPECT_EQ(duration{real_seconds{-1e300}}.nanoseconds(), min_ns);
  EXPECT_EQ(duration{real_seconds{std::numeric_limits<double>::infinity()}}.nanoseconds(), max_ns);
  EXPECT_EQ(duration{real_seconds{std::numeric_limits<double>::quiet_NaN()}}.nanoseconds(), 0);
}

TEST(duration, fits_exactly_up_to_the_last_whole_second) {
  constexpr std::int64_t last = max_ns / 1'000'000'000;
  EXPECT_EQ(duration{std::chrono::seconds{last}}.nanoseconds(), last * 1'000'000'000);
  EXPECT_EQ(duration{std::chrono::seconds{last + 1}}.nanoseconds(), max_ns);
}

// spec: T4
TEST(duration, rounds_fractions_of_a_nanosecond_up) {
  using picoseconds = std::chrono::duration<std::int64_t, std::pico>;
  EXPECT_EQ(duration{picoseconds{1}}.nanoseconds(), 1);
  EXPECT_EQ(duration{picoseconds{1000}}.nanoseconds(), 1);
  EXPECT_EQ(duration{picoseconds{1001}}.nanoseconds(), 2);
  EXPECT_EQ(duration{picoseconds{-1}}.nanoseconds(), 0);
  using thirds = std::chrono::duration<std::int64_t, std::ratio<1, 3>>;
  EXPECT_EQ(duration{thirds{1}}.nanoseconds(), 333'333'334);
  EXPECT_EQ(duration{thirds{3}}.nanoseconds(), 1'000'000'000);
  EXPECT_EQ(duration{0.25ns}.nanoseconds(), 1);
}

TEST(duration, an_odd_period_does_not_become_the_largest_duration) {
  using odd = std::chrono::duration<std::int64_t, std::ratio<1'000'000'007, 1'000'000'009>>;
  EXPECT_GE(duration{odd{10}}.nanoseconds(), 9'999'999'980);
  EXPECT_LE(duration{odd{10}}.nanoseconds(), 10'000'000'000);
}

TEST(duration, is_ordered_by_length) {
  EXPECT_LT(duration{1ms}, duration{2ms});
  EXPECT_EQ(duration{1ms}, duration{1000us});
  EXPECT_LT(duration::min(), duration{});
  EXPECT_GT(duration::max(), duration{24h});
}

}  // namespace
}  // namespace tactor
