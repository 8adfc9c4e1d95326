// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/observe/log_limit.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace tactor {

using namespace tactor::internal;

namespace {

constexpr std::uint64_t second = 1'000'000'000;
constexpr log_limit two_in_ten_seconds{.records = 2, .interval_ns = 10 * second};

// case: ES-07
TEST(log_throttle, admits_so_many_and_then_none_until_the_interval_is_over) {
  log_throttle throttle;
  const std::uint64_t begin = 5 * second;
  EXPECT_TRUE(throttle.admit(two_in_ten_seconds, begin).admitted);
  EXPECT_TRUE(throttle.admit(two_in_ten_seconds, begin + 1).admitted);
  EXPECT_FALSE(throttle.admit(two_in_ten_seconds, begin + 2).admitted);
  EXPECT_FALSE(throttle.admit(two_in_ten_seconds, begin + 10 * second - 1).admitted);

  const auto next = throttle.admit(two_in_ten_seconds, begin + 10 * second);
  EXPECT_TRUE(next.admitted);
  EXPECT_EQ(next.left_out, 2u);
}

// case: ES-07
TEST(log_throttle, tells_once_how_many_were_left_out) {
  log_throttle throttle;
  for (std::uint64_t i = 0; i != 7; ++i)
    (void)throttle.admit(two_in_ten_seconds, i);
  EXPECT_EQ(throttle.take_left_out(two_in_ten_seconds, 9 * second), 0u);
  EXPECT_EQ(throttle.take_left_out(two_in_ten_seconds, 10 * second), 5u);
  EXPECT_EQ(throttle.take_left_out(two_in_ten_seconds, 11 * second), 0u);
  EXPECT_EQ(throttle.admit(two_in_ten_seconds, 12 * second).left_out, 0u);
}

TEST(log_throttle, begins_an_interval_with_the_first_that_comes_after_the_last) {
  log_throttle throttle;
  (void)throttle.admit(two_in_ten_seconds, 0);
  (void)throttle.admit(two_in_ten_seconds, 13 * second);
  (void)throttle.admit(two_in_ten_seconds, 21 * second);
  EXPECT_FALSE(throttle.admit(two_in_ten_seconds, 22 * second).admitted);
  EXPECT_TRUE(throttle.admit(two_in_ten_seconds, 23 * second).admitted);
}

TEST(log_throttle, is_not_confused_by_a_time_from_before_the_interval) {
  log_throttle throttle;
  (void)throttle.admit(two_in_ten_seconds, 20 * second);
  EXPECT_TRUE(throttle.admit(two_in_ten_seconds, 19 * second).admitted);
  EXPECT_FALSE(throttle.admit(two_in_ten_seconds, 19 * second).admitted);
  EXPECT_FALSE(throttle.admit(two_in_ten_seconds, 21 * second).admitted);
}

TEST(log_throttle, speaks_again_after_years_of_silence) {
  log_throttle throttle;
  const std::uint64_t day = 86'400 * second;
  for (std::uint64_t i = 0; i != 1000; ++i) {
    const std::uint64_t now = i * day;
    EXPECT_TRUE(throttle.admit(two_in_ten_seconds, now).admitted);
    EXPECT_TRUE(throttle.admit(two_in_ten_seconds, now).admitted);
    EXPECT_FALSE(throttle.admit(two_in_ten_seconds, now + second).admitted);
  }
}

TEST(log_throttle, with_a_limit_of_none_still_tells_how_many_there_were) {
  constexpr log_limit none{.records = 0, .interval_ns = second};
  log_throttle throttle;
  EXPECT_FALSE(throttle.admit(none, 0).admitted);
  EXPECT_FALSE(throttle.admit(none, 1).admitted);
  const auto next = throttle.admit(none, second);
  EXPECT_FALSE(next.admitted);
  EXPECT_EQ(next.left_out, 2u);
}

TEST(log_throttle, without_an_interval_admits_all) {
  constexpr log_limit unlimited{.records = 1, .interval_ns = 0};
  log_throttle throttle;
  for (std::uint64_t i = 0; i != 5; ++i)
    EXPECT_TRUE(throttle.admit(unlimited, i).admitted);
}

}  // namespace
}  // namespace tactor
