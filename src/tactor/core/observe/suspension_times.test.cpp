// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/observe/suspension_times.hpp"

#include "tactor/base/duration.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>

namespace tactor {
namespace {

using namespace std::chrono_literals;

// spec: P5
TEST(suspension_times, of_an_actor_that_was_never_suspended_are_absent) {
  const suspension_times none;
  EXPECT_EQ(none.suspensions(), 0u);
  EXPECT_EQ(none.resumes(), 0u);
  EXPECT_FALSE(none.last().has_value());
  EXPECT_FALSE(none.total().has_value());
  EXPECT_FALSE(none.latency().has_value());
}

// spec: P5
// case: SR-09
TEST(suspension_times, add_up) {
  suspension_times times;
  times.begin(100u);
  EXPECT_EQ(times.suspensions(), 1u);
  EXPECT_EQ(times.resumes(), 0u);
  EXPECT_FALSE(times.last().has_value()) << "it is not over";
  EXPECT_EQ(times.end(110u), duration{10ns});
  EXPECT_EQ(times.resumes(), 1u);
  EXPECT_EQ(times.last(), duration{10ns});
  EXPECT_EQ(times.total(), duration{10ns});
  times.begin(200u);
  EXPECT_EQ(times.end(220u), duration{20ns});
  EXPECT_EQ(times.suspensions(), 2u);
  EXPECT_EQ(times.resumes(), 2u);
  EXPECT_EQ(times.last(), duration{20ns});
  EXPECT_EQ(times.total(), duration{30ns});
}

// spec: P5
TEST(suspension_times, without_a_clock_are_absent_and_not_zero) {
  suspension_times times;
  times.begin(std::nullopt);
  EXPECT_FALSE(times.end(std::nullopt).has_value());
  EXPECT_EQ(times.suspensions(), 1u);
  EXPECT_EQ(times.resumes(), 1u);
  EXPECT_FALSE(times.last().has_value());
  EXPECT_FALSE(times.total().has_value());
  EXPECT_FALSE(times.latency().has_value());
}

// spec: P5
TEST(suspension_times, of_no_length_are_zero_and_not_absent) {
  suspension_times times;
  times.begin(7u);
  EXPECT_EQ(times.end(7u), duration{});
  EXPECT_EQ(times.total(), duration{});
}

// spec: P5
TEST(suspension_times, know_how_long_a_wish_to_go_on_took) {
  suspension_times times;
  times.begin(100u);
  (void)times.end(110u, std::uint64_t{107});
  EXPECT_EQ(times.latency(), duration{3ns});
  times.begin(200u);
  (void)times.end(210u);
  EXPECT_FALSE(times.latency().has_value()) << "nobody asked for it";
  times.begin(300u);
  (void)times.end(310u, std::uint64_t{311});
  EXPECT_EQ(times.latency(), duration{}) << "clocks of two processors may differ a little";
}

// spec: P2
TEST(suspension_times, count_the_signals_that_were_forgotten) {
  suspension_times times;
  times.forget_signal();
  times.forget_signal();
  EXPECT_EQ(times.forgotten_signals(), 2u);
}

}  // namespace
}  // namespace tactor
