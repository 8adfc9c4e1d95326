// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/callable_actor.hpp"

#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/observe/scheduler_metrics.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace tactor::inline v0::host {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

// Starts callables as actors, or cannot: a simulation has no blocking dispatcher.
class starter final : public job_dispatcher {
public:
  explicit starter(system_core& system) {
    works_.attach(system);
    fails_.attach(system);
  }
  void dispatch(timer_job& job) noexcept override { (fails ? fails_ : works_).dispatch(job); }

  bool fails = false;

private:
  callable_actors works_{dispatcher::pool};
  callable_actors fails_{dispatcher::blocking};
};

// spec: S6 S7
TEST(callable_actors, a_periodic_callable_goes_on_after_a_run_that_could_not_be_started) {
  testkit::simulation w{testkit::seed{1}};
  starter start{w.core()};
  int at_rate = 0;
  int with_delay = 0;
  const auto first =
      w.timers().schedule_at_fixed_rate(10ms, 10ms, [&] { ++at_rate; }, {.dispatcher = &start});
  const auto second = w.timers().schedule_with_fixed_delay(10ms, 10ms, [&] { ++with_delay; },
                                                           {.dispatcher = &start});
  ASSERT_TRUE(first.has_value() && second.has_value());
  w.run_for(10ms);
  EXPECT_EQ(at_rate + with_delay, 2);

  start.fails = true;  // as without memory
  w.run_for(20ms);
  EXPECT_EQ(at_rate + with_delay, 2);
  EXPECT_EQ(w.timers().metrics().active_total, 2u);
  EXPECT_EQ(w.timers().metrics().dropped_total, 4u);

  start.fails = false;
  w.run_for(10ms);
  EXPECT_EQ(at_rate, 2);
  EXPECT_EQ(with_delay, 2);
}

// spec: S3 S4
TEST(callable_actors, a_job_that_cannot_be_started_ends_once) {
  testkit::simulation w{testkit::seed{1}};
  starter start{w.core()};
  start.fails = true;
  int hooks = 0;
  const auto lost = w.timers().schedule_once(10ms, [] {}, {.dispatcher = &start});
  auto cancelled = w.timers().schedule_at_fixed_rate(
      1s, 1s, [] {}, {.dispatcher = &start, .on_cancelled = [&] { ++hooks; }});
  ASSERT_TRUE(lost.has_value() && cancelled.has_value());
  w.run_for(10ms);
  EXPECT_TRUE(cancelled->cancel());

  EXPECT_TRUE(lost->is_completed());
  EXPECT_EQ(w.timers().metrics().undeliverable_total, 1u);
  EXPECT_EQ(hooks, 1);
}

}  // namespace
}  // namespace tactor::inline v0::host
