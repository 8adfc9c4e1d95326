// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/manual_deadline_timer.hpp"

#include "tactor/core/scheduler/deadline_timer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace tactor {
namespace {

using namespace std::chrono_literals;

// A user of deadlines: a session that ends when it was idle for a second.
class session {
public:
  explicit session(deadline_timer& deadlines)
      : deadlines_(deadlines), idle_(deadlines.insert(1s).value_or(deadline_key{})) {}

  void touch() { EXPECT_EQ(deadlines_.rearm(idle_, 1s), true); }
  bool is_over() {
    while (const auto key = deadlines_.poll_expired())
      over_ = over_ || *key == idle_;
    return over_;
  }

private:
  deadline_timer& deadlines_;
  deadline_key idle_;
  bool over_ = false;
};

// spec: R5a R5b
TEST(manual_deadline_timer, lets_time_pass_for_code_that_polls_deadlines) {
  testkit::manual_deadline_timer<4> deadlines;
  session subject{deadlines};
  deadlines.advance(900ms);
  EXPECT_FALSE(subject.is_over());
  subject.touch();
  deadlines.advance(990ms);
  EXPECT_FALSE(subject.is_over());
  deadlines.advance(10ms);
  EXPECT_TRUE(subject.is_over());
}

// spec: R5b
TEST(manual_deadline_timer, gives_keys_in_the_order_of_their_deadlines_also_past_many_at_once) {
  testkit::manual_deadline_timer<4> deadlines;
  const auto late = deadlines.insert(30ms);
  const auto early = deadlines.insert(10ms);
  const auto middle = deadlines.insert(20ms);
  ASSERT_TRUE(late && early && middle);
  EXPECT_TRUE(deadlines.cancel(*middle));
  EXPECT_FALSE(deadlines.cancel(*middle));
  EXPECT_EQ(deadlines.rearm(*middle, 10ms), false);
  deadlines.advance(1h);
  EXPECT_EQ(deadlines.poll_expired(), *early);
  EXPECT_EQ(deadlines.poll_expired(), *late);
  EXPECT_EQ(deadlines.poll_expired(), std::nullopt);
}

// spec: R5b
TEST(manual_deadline_timer, moved_into_the_past_falls_due_on_the_next_tick) {
  testkit::manual_deadline_timer<4> deadlines;
  const auto key = deadlines.insert(1s);
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(deadlines.rearm(*key, -1s), true);
  EXPECT_EQ(deadlines.poll_expired(), std::nullopt);
  deadlines.advance(10ms);
  EXPECT_EQ(deadlines.poll_expired(), *key);
}

// spec: R5b
TEST(manual_deadline_timer, can_be_moved_any_number_of_times_while_no_time_passes) {
  testkit::manual_deadline_timer<2> deadlines;
  const auto key = deadlines.insert(1s);
  ASSERT_TRUE(key.has_value());
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(deadlines.rearm(*key, 20ms), true) << i;
  deadlines.advance(20ms);
  EXPECT_EQ(deadlines.poll_expired(), *key);
}

}  // namespace
}  // namespace tactor
