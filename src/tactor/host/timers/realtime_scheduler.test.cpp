// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/timers/realtime_scheduler.hpp"

#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/scheduler/report/diagnostics.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/system_drive.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <latch>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tactor::inline v0::host {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

// On a manual clock: time passes when the test says so.
class realtime_scheduler_test : public testing::Test {
protected:
  realtime_config on_manual_clock() { return {.clock = &clock, .use = clock_use::test}; }
  void pass(duration time) {
    clock.jump(time);
    testkit::system_steps::poll_now(subject);
  }

  testkit::manual_clock clock;
  realtime_scheduler subject = *realtime_scheduler::start(on_manual_clock());
};
using realtime_scheduler_shutdown = realtime_scheduler_test;

// What became of a forked process that calls `act()` and then exits with its result.
template <class Act>
int status_of_fork(Act act) {
  const ::pid_t child = ::fork();
  if (child == 0) {
    (void)::alarm(30);  // so that it does not wait for its deadline
    ::_exit(act());
  }
  int status = 0;
  (void)::waitpid(child, &status, 0);
  return status;
}

// spec: S12
TEST(realtime_scheduler_fork, neither_starts_nor_waits_in_a_forked_process) {
  auto subject = realtime_scheduler::start();
  ASSERT_TRUE(subject.has_value());
  const int status = status_of_fork([&] {
    if (realtime_scheduler::start().has_value()) return 1;
    const auto before = std::chrono::steady_clock::now();
    (void)subject->shutdown(60s);
    {
      const realtime_scheduler ends = std::move(*subject);
    }
    return std::chrono::steady_clock::now() - before < 20s ? 0 : 2;
  });
  EXPECT_TRUE(WIFEXITED(status)) << "it waited for threads that it does not have";
  EXPECT_EQ(WEXITSTATUS(status), 0);
  std::latch ran{1};
  EXPECT_TRUE((*subject)->schedule_once(10ms, [&] { ran.count_down(); }).has_value());
  ran.wait();  // the first process goes on
}

TEST_F(realtime_scheduler_test, a_thread_that_schedules_faster_than_the_driver_polls_helps_it) {
  realtime_config config = on_manual_clock();
  config.timers.system_quota = timer_store::commands_in_time + 3;
  subject = *realtime_scheduler::start(config);
  const auto schedule = [&] { return subject->schedule_once(1s, [] {}).has_value(); };
  const auto commands_wait = [&] {
    return subject.exclusively([](scheduler& timers) { return timers.has_commands(); });
  };
  for (std::size_t command = 0; command <= timer_store::commands_in_time; ++command)
    ASSERT_TRUE(schedule());
  testkit::system_steps::poll_now(subject);

  ASSERT_TRUE(schedule());
  EXPECT_FALSE(commands_wait()) << "the last poll had to apply too many commands";
  ASSERT_TRUE(schedule());
  EXPECT_TRUE(commands_wait()) << "and this one few";
}

template <class Scheduler>
concept can_be_polled = requires(const Scheduler& timers) { timers.poll_now(); };
constexpr bool users_can_poll = can_be_polled<realtime_scheduler>;

// spec: K4
TEST(realtime_scheduler, is_polled_by_the_test_kit_only) {
  EXPECT_FALSE(users_can_poll);
}

// spec: K4 T1
// case: SM-18
TEST_F(realtime_scheduler_test, a_manual_clock_is_refused_in_production) {
  const auto refused = realtime_scheduler::start({.clock = &clock});

  ASSERT_FALSE(refused.has_value());
  EXPECT_STREQ(refused.error().setting, "clock");
}

TEST_F(realtime_scheduler_test, impossible_settings_are_named) {
  realtime_config config;
  config.timers.timing.wheel_slots = 3;
  EXPECT_STREQ(realtime_scheduler::start(config).error().setting, "wheel_slots");
  EXPECT_STREQ(realtime_scheduler::start(config).error().section, "timers.timing.");
  config = {.callable_threads = 0};
  EXPECT_STREQ(realtime_scheduler::start(config).error().setting, "callable_threads");
  config = {.callable_threads = 1001};
  EXPECT_STREQ(realtime_scheduler::start(config).error().setting, "callable_threads");
  config = {};
  for (const std::size_t quota : {std::size_t{0}, std::size_t{1} << 40}) {
    config.timers.system_quota = quota;
    EXPECT_STREQ(realtime_scheduler::start(config).error().setting, "system_quota");
    EXPECT_STREQ(realtime_scheduler::start(config).error().section, "timers.");
  }
  config = {.use = clock_use{2}};
  EXPECT_STREQ(realtime_scheduler::start(config).error().setting, "use");
}

TEST_F(realtime_scheduler_test, runs_a_timer_when_its_time_has_come) {
  std::latch ran{1};
  ASSERT_TRUE(subject->schedule_once(100ms, [&] { ran.count_down(); }).has_value());

  pass(90ms);
  EXPECT_EQ(subject.metrics().fired_total, 0u);
  pass(10ms);
  ran.wait();
}

TEST_F(realtime_scheduler_test, a_moved_one_goes_on_and_an_overwritten_one_has_shut_down) {
  const auto waiting = *subject->schedule_once(1h, [] {});
  realtime_scheduler moved = std::move(subject);
  EXPECT_EQ(moved.metrics().active_total, 1u);

  moved = *realtime_scheduler::start(on_manual_clock());

  EXPECT_TRUE(waiting.is_cancelled());
  EXPECT_EQ(moved.metrics().active_total, 0u);
}

// spec: S3
TEST_F(realtime_scheduler_test, handles_outlive_it) {
  cancellable kept;
  {
    const auto other = *realtime_scheduler::start(on_manual_clock());
    kept = *other->schedule_once(1h, [] {});
  }
  EXPECT_TRUE(kept.is_cancelled());
  EXPECT_FALSE(kept.cancel());
}

// spec: S12
// case: SD-01
TEST_F(realtime_scheduler_shutdown, runs_only_the_timers_that_asked_for_it) {
  int plain = 0;
  int at_the_end = 0;
  const auto first = *subject->schedule_once(10s, [&] { ++plain; });
  const auto second =
      *subject->schedule_once(10s, [&] { ++at_the_end; }, {.at_shutdown = on_shutdown::run});

  const close_summary summary = subject.shutdown(60s);

  EXPECT_EQ(plain, 0);
  EXPECT_EQ(at_the_end, 1);
  EXPECT_TRUE(first.is_cancelled());
  EXPECT_TRUE(second.is_completed());
  EXPECT_EQ(summary, (close_summary{.run = 1, .cancelled = 1}));
  EXPECT_EQ(subject.metrics().active_total, 0u);
}

// spec: S12 S4
TEST_F(realtime_scheduler_shutdown, runs_a_timer_that_waits_behind_a_blocked_callable) {
  realtime_config config = on_manual_clock();
  config.callable_threads = 1;
  subject = *realtime_scheduler::start(config);
  std::latch busy{1};
  std::latch gate{1};
  int runs = 0;
  ASSERT_TRUE(subject->schedule_once(10ms, [&] {
    busy.count_down();
    gate.wait();
  }));
  const auto timer =
      *subject->schedule_once(10ms, [&] { ++runs; }, {.at_shutdown = on_shutdown::run});
  pass(10ms);
  busy.wait();

  ASSERT_TRUE(subject->on_close(close_priority::user, [&] { gate.count_down(); }).has_value());
  const close_summary summary = subject.shutdown(60s);

  EXPECT_EQ(runs, 1);
  EXPECT_EQ(summary, (close_summary{.run = 2}));
  EXPECT_TRUE(timer.is_completed());
  EXPECT_EQ(subject.metrics().completed_total, 2u);
}

// spec: S1c S12
// case: SD-02
TEST_F(realtime_scheduler_shutdown, takes_no_timer_afterwards) {
  (void)subject.shutdown();

  EXPECT_EQ(subject->schedule_once(10ms, [] {}).error(), scheduler_error::shutdown);
  EXPECT_EQ(subject->schedule_once(0ms, [] {}).error(), scheduler_error::shutdown);
  EXPECT_EQ(subject->schedule_at_fixed_rate(0ms, 0ms, [] {}).error(), scheduler_error::shutdown);
  EXPECT_EQ(subject->on_close(close_priority::user, [] {}).error(), close_task_error::shutdown);
}

// spec: S12
// case: SD-04
TEST_F(realtime_scheduler_shutdown, runs_close_tasks_in_order_away_from_the_caller) {
  struct {
    std::string order;
    std::thread::id caller = std::this_thread::get_id();
    bool on_caller = false;
  } seen;
  const auto task = [&](close_priority priority, char name) {
    ASSERT_TRUE(subject
                    ->on_close(priority,
                               [&seen, name] {
                                 seen.order += name;
                                 seen.on_caller |= std::this_thread::get_id() == seen.caller;
                               })
                    .has_value());
  };
  task(close_priority::user, 'u');
  task(close_priority::system, 's');
  task(close_priority::critical, 'c');
  task(close_priority::critical, 'd');

  const close_summary summary = subject.shutdown(60s);

  EXPECT_EQ(seen.order, "cdsu");
  EXPECT_FALSE(seen.on_caller);
  EXPECT_EQ(summary, (close_summary{.run = 4}));
}

// spec: S11 S12
// case: SD-05
TEST_F(realtime_scheduler_shutdown, a_task_that_throws_is_reported_and_the_others_run) {
  std::array<scheduler_event, 8> storage{};
  diagnostics_subscription warnings{subject->events(), storage, scheduler_event_kinds::warnings()};
  int runs = 0;
  ASSERT_TRUE(subject->on_close(close_priority::system, [&] { ++runs; }).has_value());
  ASSERT_TRUE(subject->on_close(close_priority::system, [] { throw std::runtime_error{"no"}; }));
  ASSERT_TRUE(subject->on_close(close_priority::system, [&] { ++runs; }).has_value());

  const close_summary summary = subject.shutdown(60s);

  EXPECT_EQ(runs, 2);
  EXPECT_EQ(summary, (close_summary{.run = 2, .failed = 1}));
  const auto event = warnings.try_next();
  ASSERT_TRUE(event.has_value());
  const scheduler_event got = event.value_or(scheduler_event{});
  EXPECT_EQ(got.kind, scheduler_event_kind::task_run_failed);
  EXPECT_EQ(got.value, 2u);
}

// spec: S12
// case: SD-06
TEST_F(realtime_scheduler_shutdown, has_capacity_for_the_configured_close_tasks) {
  realtime_config config = on_manual_clock();
  config.timers.close_task_limit = 1;
  subject = *realtime_scheduler::start(config);

  EXPECT_TRUE(subject->on_close(close_priority::user, [] {}).has_value());
  EXPECT_EQ(subject->on_close(close_priority::user, [] {}).error(), close_task_error::full);
}

// spec: S12
TEST_F(realtime_scheduler_shutdown, every_caller_waits_and_gets_the_same_summary) {
  constexpr std::ptrdiff_t callers = 4;
  std::latch all_there{callers};
  std::latch gate{1};
  ASSERT_TRUE(subject->schedule_once(1h, [] {}).has_value());
  ASSERT_TRUE(subject->on_close(close_priority::user, [&] { gate.wait(); }).has_value());
  std::vector<close_summary> got(callers);
  {
    std::vector<std::jthread> threads;
    threads.reserve(callers);
    for (std::size_t each = 0; each < callers; ++each) {
      threads.emplace_back([&, each] {
        all_there.arrive_and_wait();
        got[each] = subject.shutdown(1h);
      });
    }
    all_there.wait();
    gate.count_down();
  }
  for (const close_summary& each : got)
    EXPECT_EQ(each, (close_summary{.run = 1, .cancelled = 1}));
  EXPECT_EQ(subject.shutdown(), got[0]);
}

// spec: S12
TEST_F(realtime_scheduler_shutdown, ends_at_the_earliest_deadline_of_all_callers) {
  const auto begun = std::chrono::steady_clock::now();
  std::latch busy{1};
  std::latch closes{1};
  std::latch gate{1};
  auto timer = *subject->schedule_once(10ms, [&] {
    busy.count_down();
    gate.wait();
  });
  pass(10ms);
  busy.wait();
  ASSERT_TRUE(subject->on_close(close_priority::user, [&] {
    closes.count_down();
    gate.wait();
  }));
  close_summary first;
  {
    const std::jthread patient{[&] { first = subject.shutdown(30s); }};
    closes.wait();
    EXPECT_EQ(subject.shutdown(2ms), (close_summary{.late = 2}));
  }
  EXPECT_EQ(first, (close_summary{.late = 2})) << "the task, and the callable";
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 15s);
  gate.count_down();
  subject = *realtime_scheduler::start(on_manual_clock());  // destroys the first: it waits
}

std::optional<std::latch> thread_ends;
struct notes_the_end_of_its_thread {
  notes_the_end_of_its_thread() = default;
  notes_the_end_of_its_thread(const notes_the_end_of_its_thread&) = delete;
  notes_the_end_of_its_thread& operator=(const notes_the_end_of_its_thread&) = delete;
  ~notes_the_end_of_its_thread() { thread_ends->count_down(); }
};

// The thread that runs no callable ends when the shutdown waits for the other one.
// spec: S12
TEST_F(realtime_scheduler_shutdown, ends_at_the_earliest_deadline_while_only_a_callable_runs) {
  const auto begun = std::chrono::steady_clock::now();
  thread_ends.emplace(1);
  std::latch busy{1};
  std::latch idle{1};
  std::latch gate{1};
  ASSERT_TRUE(subject->schedule_once(10ms, [&] {
    busy.count_down();
    gate.wait();
  }));
  pass(10ms);
  busy.wait();
  ASSERT_TRUE(subject->schedule_once(10ms, [&] {
    thread_local const notes_the_end_of_its_thread mark;
    idle.count_down();
  }));
  pass(10ms);
  idle.wait();
  close_summary first;
  {
    const std::jthread patient{[&] { first = subject.shutdown(30s); }};
    thread_ends->wait();
    EXPECT_EQ(subject.shutdown(2ms), (close_summary{.late = 1}));
  }
  EXPECT_EQ(first, (close_summary{.late = 1}));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 15s);
  gate.count_down();
  subject = *realtime_scheduler::start(on_manual_clock());  // destroys the first: it waits
}

// spec: S12
TEST_F(realtime_scheduler_shutdown, a_late_task_is_reported_and_the_rest_still_run) {
  std::latch gate{1};
  bool ended = false;
  bool ran = false;
  ASSERT_TRUE(subject->on_close(close_priority::critical, [&] {
    gate.wait();
    ended = true;
  }));
  ASSERT_TRUE(subject->on_close(close_priority::user, [&] { ran = true; }));

  const close_summary summary = subject.shutdown(2ms);

  EXPECT_GE(summary.late, 1u);  // on a busy machine both
  EXPECT_EQ(summary.run + summary.late, 2u);
  EXPECT_EQ(subject.metrics().warnings_total, summary.late);
  gate.count_down();
  subject = *realtime_scheduler::start(on_manual_clock());  // destroys the first: it waits
  EXPECT_TRUE(ended);
  EXPECT_EQ(ran, summary.run == 1);
}

// spec: S12
TEST_F(realtime_scheduler_shutdown, no_task_begins_after_it_has_returned) {
  std::latch gate{1};
  int ended = 0;
  bool ran = false;
  const auto late = [&] {
    gate.wait();
    ++ended;
  };
  ASSERT_TRUE(subject->on_close(close_priority::critical, late).has_value());
  ASSERT_TRUE(subject->on_close(close_priority::system, [&] { gate.wait(); }).has_value());
  ASSERT_TRUE(subject->on_close(close_priority::user, [&] { ran = true; }).has_value());
  const auto timer =
      *subject->schedule_once(1h, [&] { ran = true; }, {.at_shutdown = on_shutdown::run});

  EXPECT_EQ(subject.shutdown(2ms), (close_summary{.late = 4}));
  EXPECT_TRUE(timer.is_cancelled());
  EXPECT_EQ(subject.metrics().active_total, 0u);

  gate.count_down();
  subject = *realtime_scheduler::start(on_manual_clock());  // destroys the first: it waits
  EXPECT_FALSE(ran);
  EXPECT_LE(ended, 1) << "on a busy machine it did not begin";
}

// spec: S11 S12
TEST_F(realtime_scheduler_shutdown, from_inside_a_callable_it_does_not_wait_for_itself) {
  std::latch asked{1};
  int closed = 0;
  close_summary known;
  ASSERT_TRUE(subject->on_close(close_priority::user, [&] { ++closed; }).has_value());
  const auto waiting = *subject->schedule_once(1h, [] {});
  ASSERT_TRUE(subject->schedule_once(10ms, [&] {
    known = subject.shutdown(60s);
    asked.count_down();
  }));
  pass(10ms);
  asked.wait();

  EXPECT_EQ(known.cancelled, 1u);
  EXPECT_TRUE(waiting.is_cancelled());
  EXPECT_EQ(subject.shutdown(), (close_summary{.run = 1, .cancelled = 1}));
  EXPECT_EQ(closed, 1);
}

// spec: S12
TEST_F(realtime_scheduler_shutdown, from_inside_a_close_task_it_returns_what_is_known) {
  close_summary known;
  ASSERT_TRUE(subject->schedule_once(1h, [] {}).has_value());
  ASSERT_TRUE(subject->on_close(close_priority::user, [&] { known = subject.shutdown(); }));

  EXPECT_EQ(subject.shutdown(60s), (close_summary{.run = 1, .cancelled = 1}));
  EXPECT_EQ(known, (close_summary{.cancelled = 1}));
}

// spec: S3 S12
TEST_F(realtime_scheduler_shutdown, hooks_of_cancelled_timers_have_run_when_it_returns) {
  int hooks = 0;
  const auto timer = *subject->schedule_once(1h, [] {}, {.on_cancelled = [&] { ++hooks; }});

  (void)subject.shutdown();

  EXPECT_EQ(hooks, 1);
}

// spec: S11 S12
TEST_F(realtime_scheduler_shutdown, a_callable_that_does_not_return_is_late) {
  std::latch busy{1};
  std::latch gate{1};
  auto timer = *subject->schedule_once(10ms, [&] {
    busy.count_down();
    gate.wait();
  });
  pass(10ms);
  busy.wait();

  EXPECT_EQ(subject.shutdown(0ms), (close_summary{.late = 1}));
  EXPECT_EQ(timer.state(), timer_state::executing);

  gate.count_down();
  subject = *realtime_scheduler::start(on_manual_clock());  // destroys the first: it waits
  EXPECT_TRUE(timer.is_completed());
}

}  // namespace
}  // namespace tactor::inline v0::host
