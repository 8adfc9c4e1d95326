// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/deadline_timer.hpp"

#include "tactor/testkit/scheduler_harness.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <optional>

namespace tactor {
namespace {

using namespace std::chrono_literals;

// A scheduler with ticks of 10 ms on a manual clock, and deadlines on it.
struct world {
  testkit::scheduler_harness<8, 8> harness;
  std::array<scheduler_deadline_timer::slot, 2> storage{};
  scheduler_deadline_timer deadlines{harness.timers(), storage};

  ~world() { harness.timers().close(); }

  deadline_key insert(duration delay) { return deadlines.insert(delay).value_or(deadline_key{}); }
  bool rearm(deadline_key key, duration delay) {
    return deadlines.rearm(key, delay).value_or(false);
  }
  // The keys reached after the clock was advanced by `length`.
  std::optional<deadline_key> after(duration length) {
    harness.clock().advance(length);
    return deadlines.poll_expired();
  }
};

// spec: R5a
TEST(deadline_timer, gives_a_key_once_when_its_deadline_is_reached) {
  world w;
  const deadline_key key = w.insert(50ms);

  EXPECT_EQ(w.after(40ms), std::nullopt);
  EXPECT_EQ(w.after(10ms), std::optional{key});
  EXPECT_EQ(w.after(1s), std::nullopt);
}

// case: SW-12
TEST(deadline_timer, moved_earlier_or_later_it_falls_due_at_the_time_set_last) {
  world w;
  const deadline_key key = w.insert(50ms);

  EXPECT_TRUE(w.rearm(key, 20ms));
  EXPECT_EQ(w.after(10ms), std::nullopt);
  EXPECT_TRUE(w.rearm(key, 500ms));
  EXPECT_EQ(w.after(490ms), std::nullopt);
  EXPECT_EQ(w.after(10ms), std::optional{key});
  EXPECT_EQ(w.after(1s), std::nullopt);
}

// case: SW-12
TEST(deadline_timer, moved_twice_it_falls_due_once) {
  world w;
  const deadline_key key = w.insert(50ms);

  EXPECT_TRUE(w.rearm(key, 30ms));
  EXPECT_TRUE(w.rearm(key, 40ms));

  EXPECT_EQ(w.after(30ms), std::nullopt);
  EXPECT_EQ(w.after(10ms), std::optional{key});
  EXPECT_EQ(w.after(1s), std::nullopt);
}

// spec: R5a R5c
// case: SW-12
TEST(deadline_timer, moved_into_the_past_it_falls_due_on_the_next_tick) {
  world w;
  const deadline_key key = w.insert(50ms);
  w.harness.clock().advance(20ms);

  EXPECT_TRUE(w.rearm(key, -1s));

  EXPECT_EQ(w.deadlines.poll_expired(), std::nullopt);
  EXPECT_EQ(w.after(10ms), std::optional{key});
}

// case: SW-12
TEST(deadline_timer, moved_after_it_was_reached_it_falls_due_again_under_the_same_key) {
  world w;
  const deadline_key key = w.insert(10ms);
  EXPECT_EQ(w.after(10ms), std::optional{key});

  EXPECT_TRUE(w.rearm(key, 10ms));

  EXPECT_EQ(w.after(10ms), std::optional{key});
}

// case: SW-12
TEST(deadline_timer, moved_when_it_is_due_but_not_yet_polled_it_waits_again) {
  world w;
  const deadline_key key = w.insert(10ms);
  w.harness.clock().advance(10ms);

  EXPECT_TRUE(w.rearm(key, 30ms));

  EXPECT_EQ(w.deadlines.poll_expired(), std::nullopt);
  EXPECT_EQ(w.after(30ms), std::optional{key});
}

// spec: R5a
TEST(deadline_timer, a_cancelled_key_is_unknown_and_never_names_another_deadline) {
  world w;
  const deadline_key key = w.insert(10ms);
  w.harness.clock().advance(10ms);

  EXPECT_TRUE(w.deadlines.cancel(key));
  EXPECT_FALSE(w.deadlines.cancel(key));
  EXPECT_FALSE(w.rearm(key, 10ms));
  EXPECT_EQ(w.deadlines.poll_expired(), std::nullopt);

  const deadline_key next = w.insert(10ms);
  EXPECT_FALSE(next == key);
  EXPECT_EQ(w.after(10ms), std::optional{next});
}

TEST(deadline_timer, fails_when_its_storage_is_full) {
  world w;
  EXPECT_TRUE(w.deadlines.insert(10ms).has_value());
  EXPECT_TRUE(w.deadlines.insert(10ms).has_value());

  const auto third = w.deadlines.insert(10ms);

  ASSERT_FALSE(third.has_value());
  EXPECT_EQ(third.error(), scheduler_error::capacity_exceeded);
  EXPECT_EQ(w.deadlines.insert(-1s).error(), scheduler_error::capacity_exceeded)
      << "in the past is allowed";
}

}  // namespace
}  // namespace tactor
