// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/scheduler.hpp"

#include "tactor/core/scheduler/scheduler_room.hpp"
#include "tactor/testkit/scheduler_harness.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace tactor {
namespace {

using namespace std::chrono_literals;

struct world {
  explicit world(scheduler_config config = {})
      : timers(config, room.parts(clock, dispatcher, &drive)) {
    drive.start(timers);
  }
  ~world() { drive.stop(); }

  testkit::manual_clock clock;
  testkit::queue_dispatcher dispatcher;
  testkit::scheduler_drive drive{clock, dispatcher};
  static_scheduler_room<8, 16> room;
  scheduler timers;
};

// spec: S1
// case: SO-01
TEST(scheduler, a_one_shot_runs_once_when_its_delay_is_over) {
  world w;
  int runs = 0;
  const auto timer = w.timers.schedule_once(100ms, [&] { ++runs; });
  ASSERT_TRUE(timer.has_value());

  w.clock.advance(90ms);
  EXPECT_EQ(runs, 0);
  w.clock.advance(10ms);
  EXPECT_EQ(runs, 1);
  w.clock.advance(1000ms);
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(timer->is_completed());
  EXPECT_EQ(w.timers.metrics().active_total, 0u);
}

// spec: S3
// case: SC-01
TEST(scheduler, a_cancelled_one_shot_never_runs_and_stays_cancelled) {
  world w;
  int runs = 0;
  auto timer = w.timers.schedule_once(100ms, [&] { ++runs; });
  ASSERT_TRUE(timer.has_value());

  EXPECT_TRUE(timer->cancel());
  EXPECT_FALSE(timer->cancel());
  w.clock.advance(1s);

  EXPECT_EQ(runs, 0);
  EXPECT_TRUE(timer->is_cancelled());
  EXPECT_EQ(w.timers.metrics().cancelled_total, 1u);
}

// spec: S6
// case: SP-01
TEST(scheduler, a_fixed_rate_job_runs_on_its_grid) {
  world w;
  int runs = 0;
  const auto timer = w.timers.schedule_at_fixed_rate(50ms, 30ms, [&] { ++runs; });
  ASSERT_TRUE(timer.has_value());

  w.clock.advance(40ms);
  EXPECT_EQ(runs, 0);
  w.clock.advance(10ms);
  EXPECT_EQ(runs, 1);
  w.clock.advance(90ms);
  EXPECT_EQ(runs, 4);
}

// spec: S7
TEST(scheduler, a_fixed_delay_job_waits_for_the_end_of_its_run) {
  world w;
  int runs = 0;
  const auto timer = w.timers.schedule_with_fixed_delay(10ms, 20ms, [&] { ++runs; });
  ASSERT_TRUE(timer.has_value());

  w.clock.advance(10ms);
  EXPECT_EQ(runs, 1);
  w.clock.advance(20ms);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(w.timers.metrics().periodic_total, 1u);
}

}  // namespace
}  // namespace tactor
