// SPDX-License-Identifier: BSL-1.0
#include "tactor/bare/manual_deadline_timer.hpp"

#include "tactor/core/scheduler/deadline_timer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace tactor::bare {
namespace {

using namespace std::chrono_literals;

constinit manual_deadline_timer<3> deadlines;

/// A loop's timer is never destroyed, so the tests share one: each leaves it empty.
void begin() {
  static bool started = false;
  if (!started) deadlines.start();
  started = true;
  while (deadlines.poll_expired()) {
  }
  EXPECT_FALSE(deadlines.time_left().has_value());
}

// spec: R5b
TEST(bare_manual_deadline_timer, lets_time_pass_for_a_loop_that_polls) {
  begin();
  const auto lease = deadlines.insert(1s);
  ASSERT_TRUE(lease.has_value());
  deadlines.advance(900ms);
  EXPECT_FALSE(deadlines.poll_expired().has_value());
  EXPECT_EQ(deadlines.rearm(*lease, 1s), true);
  EXPECT_EQ(deadlines.time_left(), std::optional<duration>{1s});
  for (int round = 0; round < 99; ++round) {
    deadlines.advance(10ms);
    EXPECT_FALSE(deadlines.poll_expired().has_value());
  }
  deadlines.advance(10ms);
  EXPECT_EQ(deadlines.poll_expired(), *lease);
  EXPECT_FALSE(deadlines.poll_expired().has_value());
  EXPECT_TRUE(deadlines.cancel(*lease));
}

// spec: R5b
TEST(bare_manual_deadline_timer,
     gives_keys_in_the_order_of_their_deadlines_also_past_many_at_once) {
  begin();
  const auto late = deadlines.insert(1h);  // in the overflow of the wheel
  const auto early = deadlines.insert(10ms);
  const auto middle = deadlines.insert(20ms);
  ASSERT_TRUE(late.has_value() && early.has_value() && middle.has_value());
  EXPECT_FALSE(deadlines.insert(1s).has_value());  // as many as requested
  EXPECT_TRUE(deadlines.cancel(*middle));
  EXPECT_FALSE(deadlines.cancel(*middle));
  EXPECT_EQ(deadlines.rearm(*middle, 10ms), false);
  deadlines.advance(2h);
  EXPECT_EQ(deadlines.poll_expired(), *early);
  EXPECT_EQ(deadlines.poll_expired(), *late);
  EXPECT_FALSE(deadlines.poll_expired().has_value());
  EXPECT_TRUE(deadlines.cancel(*early));
  EXPECT_TRUE(deadlines.cancel(*late));
}

// spec: R5b R5c
TEST(bare_manual_deadline_timer, moved_into_the_past_falls_due_on_the_next_tick) {
  begin();
  const auto key = deadlines.insert(1s);
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(deadlines.rearm(*key, -1s), true);
  EXPECT_FALSE(deadlines.poll_expired().has_value());
  deadlines.advance(10ms);
  EXPECT_EQ(deadlines.poll_expired(), *key);
  EXPECT_TRUE(deadlines.cancel(*key));
}

// spec: R5b
TEST(bare_manual_deadline_timer, has_room_for_deadlines_that_are_moved_while_no_time_passes) {
  begin();
  const auto key = deadlines.insert(1s);
  ASSERT_TRUE(key.has_value());
  for (int again = 0; again < 100; ++again)
    EXPECT_EQ(deadlines.rearm(*key, 20ms), true);
  deadlines.advance(19ms);
  EXPECT_FALSE(deadlines.poll_expired().has_value());
  deadlines.advance(11ms);  // less than a tick later
  EXPECT_EQ(deadlines.poll_expired(), *key);
  EXPECT_TRUE(deadlines.cancel(*key));
}

}  // namespace
}  // namespace tactor::bare
