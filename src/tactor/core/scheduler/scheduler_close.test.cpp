// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/close_task.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_storage.hpp"
#include "tactor/testkit/queue_mailbox.hpp"
#include "tactor/testkit/scheduler_drive.hpp"
#include "tactor/testkit/scheduler_harness.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <expected>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

using world = testkit::scheduler_harness<8, 8>;

struct close_summary {
  std::size_t run = 0;
  std::size_t failed = 0;
};

// Runs the close tasks like a driver does.
close_summary run_close_tasks(scheduler& timers) {
  close_summary summary;
  while (auto task = timers.next_close_task()) {
    if (task->run()) {
      ++summary.run;
    } else {
      ++summary.failed;
      timers.report_failed(*task);
    }
  }
  return summary;
}

// The order in which tasks ran, as digits.
struct run_digits {
  int digits = 0;
  auto note(int digit) {
    return [this, digit] { digits = digits * 10 + digit; };
  }
};

// spec: S12
// case: SD-01
TEST(scheduler_close, a_timer_with_on_shutdown_run_runs_at_close_and_others_are_cancelled) {
  world w;
  int plain = 0;
  int at_end = 0;
  const auto first = w.timers().schedule_once(10s, [&] { ++plain; });
  const auto second =
      w.timers().schedule_once(10s, [&] { ++at_end; }, {.at_shutdown = on_shutdown::run});
  ASSERT_TRUE(first.has_value() && second.has_value());

  EXPECT_EQ(w.timers().close(), 1u);
  EXPECT_EQ(at_end, 0);
  EXPECT_EQ(run_close_tasks(w.timers()).run, 1u);
  w.clock().advance(100s);
  w.dispatcher().run_all();
  EXPECT_EQ(plain, 0);
  EXPECT_EQ(at_end, 1);
  EXPECT_TRUE(first->is_cancelled());
  EXPECT_TRUE(second->is_completed());
  EXPECT_EQ(w.timers().metrics().active_total, 0u);
  EXPECT_TRUE(w.check_invariants());
}

// Like a system that drains: it starts nothing any more, but its timers run until it has ended.
class closed_dispatcher final : public job_dispatcher {
public:
  void dispatch(timer_job& job) noexcept override { (void)job.discard(post_result::closed); }
};

// spec: S12
TEST(scheduler_close, a_timer_that_falls_due_while_its_dispatcher_is_closed_runs_at_close) {
  world w;
  closed_dispatcher closed;
  int plain = 0;
  int at_end = 0;
  auto first = w.timers().schedule_once(10ms, [&] { ++plain; }, {.dispatcher = &closed});
  auto second = w.timers().schedule_once(10ms, [&] { ++at_end; },
                                         {.dispatcher = &closed, .at_shutdown = on_shutdown::run});
  auto third = w.timers().schedule_once(10ms, [&] { ++plain; },
                                        {.dispatcher = &closed, .at_shutdown = on_shutdown::run});
  w.clock().advance(20ms);
  EXPECT_EQ(w.timers().metrics().undeliverable_total, 1u);
  EXPECT_TRUE(third->cancel()) << "it waits for the close";

  (void)w.timers().close();
  (void)run_close_tasks(w.timers());
  EXPECT_EQ(plain, 0);
  EXPECT_EQ(at_end, 1);
  EXPECT_TRUE(second->is_completed());
  first = second = third = cancellable{};
  EXPECT_TRUE(w.check_nothing_left());
}

// spec: S12
TEST(scheduler_close, closing_runs_a_waiting_timer_in_every_state_once) {
  world w;
  w.hold_jobs();
  int runs = 0;
  const auto run = [&] { ++runs; };
  auto queued = w.timers().schedule_once(10ms, run, {.at_shutdown = on_shutdown::run});
  w.clock().advance(10ms);
  EXPECT_EQ(w.dispatcher().size(), 1u);
  auto scheduled = w.timers().schedule_once(20ms, run, {.at_shutdown = on_shutdown::run});
  auto overflowing = w.timers().schedule_once(10s, run, {.at_shutdown = on_shutdown::run});
  (void)w.timers().poll();
  auto pending = w.timers().schedule_once(20ms, run, {.at_shutdown = on_shutdown::run});

  EXPECT_EQ(w.timers().close(), 0u);
  EXPECT_EQ(run_close_tasks(w.timers()).run, 4u);
  EXPECT_EQ(runs, 4);
  w.dispatcher().run_all();
  EXPECT_EQ(runs, 4) << "a close task took the run of the queued timer";
  EXPECT_TRUE(queued->is_completed() && scheduled->is_completed() && overflowing->is_completed() &&
              pending->is_completed());
  queued = scheduled = overflowing = pending = cancellable{};
  EXPECT_TRUE(w.check_nothing_left());
}

// Its dispatcher may be busy with a callable that never returns.
// spec: S12 S4 S11
TEST(scheduler_close,
     a_queued_timer_that_fails_or_does_not_run_at_close_is_cancelled_and_reported) {
  for (const bool runs : {true, false}) {
    world w;
    w.hold_jobs();
    int hooks = 0;
    auto timer = w.timers().schedule_once(
        10ms, [&]() -> std::expected<void, int> { return std::unexpected{7}; },
        {.at_shutdown = on_shutdown::run, .on_cancelled = [&] { ++hooks; }});
    w.clock().advance(10ms);
    w.timers().close();

    if (runs) {
      EXPECT_EQ(run_close_tasks(w.timers()).failed, 1u);
    } else {
      EXPECT_EQ(w.timers().give_up_close_tasks(), 1u);
    }

    EXPECT_TRUE(timer->is_cancelled());
    EXPECT_EQ(w.timers().metrics().handler_failures_total, runs ? 1u : 0u);
    EXPECT_EQ(w.timers().metrics().executed_total, runs ? 1u : 0u);
    w.dispatcher().run_all();
    EXPECT_EQ(hooks, 1);
    EXPECT_EQ(w.timers().metrics().cancelled_total, 1u);
    timer = {};
    EXPECT_TRUE(w.check_nothing_left());
  }
}

// spec: S12 S4
TEST(scheduler_close, a_queued_timer_that_its_dispatcher_runs_first_is_no_close_task) {
  world w;
  w.hold_jobs();
  int runs = 0;
  const auto timer =
      w.timers().schedule_once(10ms, [&] { ++runs; }, {.at_shutdown = on_shutdown::run});
  w.clock().advance(10ms);
  w.timers().close();
  w.dispatcher().run_all();

  EXPECT_EQ(run_close_tasks(w.timers()).run, 0u);
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(timer->is_completed());
}

// spec: S12 S4
TEST(scheduler_close,
     a_timer_that_its_dispatcher_reaches_while_a_close_task_runs_it_is_not_cancelled) {
  world w;
  w.hold_jobs();
  int runs = 0;
  int hooks = 0;
  auto timer =
      w.timers().schedule_once(10ms,
                               [&] {
                                 ++runs;
                                 w.dispatcher().run_all();
                               },
                               {.at_shutdown = on_shutdown::run, .on_cancelled = [&] { ++hooks; }});
  w.clock().advance(10ms);
  w.timers().close();

  EXPECT_EQ(run_close_tasks(w.timers()).run, 1u);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(hooks, 0);
  EXPECT_TRUE(timer->is_completed());
  timer = {};
  EXPECT_TRUE(w.check_nothing_left());
}

// spec: S12
TEST(scheduler_close, a_timer_that_its_dispatcher_runs_cannot_be_taken_by_a_close_task) {
  world w;
  int runs = 0;
  int taken = 0;
  const auto timer =
      w.timers().schedule_once(10ms,
                               [&] {
                                 ++runs;
                                 for (timer_record& each : w.timers().store().used_records())
                                   taken += each.begin_for_close() ? 1 : 0;
                               },
                               {.at_shutdown = on_shutdown::run});
  ASSERT_TRUE(timer.has_value());
  w.clock().advance(10ms);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(taken, 0);
  EXPECT_TRUE(timer->is_completed());
}

// spec: S12 S3
TEST(scheduler_close, a_timer_that_runs_at_close_can_be_cancelled_until_it_runs) {
  world w;
  int runs = 0;
  int hooks = 0;
  auto timer = w.timers().schedule_once(
      10s, [&] { ++runs; }, {.at_shutdown = on_shutdown::run, .on_cancelled = [&] { ++hooks; }});
  w.timers().close();
  EXPECT_TRUE(timer->cancel());

  (void)run_close_tasks(w.timers());
  w.dispatcher().run_all();
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(hooks, 1);
  EXPECT_TRUE(timer->is_cancelled());
  timer = {};
  EXPECT_TRUE(w.check_nothing_left());
}

// spec: S12
TEST(scheduler_close, a_message_sent_at_close_goes_to_its_receiver) {
  world w;
  testkit::queue_mailbox<> mailbox;
  auto timer = w.timers().schedule_once(10s, mailbox, 5, {.at_shutdown = on_shutdown::run});
  w.timers().close();
  EXPECT_EQ(mailbox.size(), 0u);
  EXPECT_EQ(run_close_tasks(w.timers()).run, 1u);
  timer_job* const job = mailbox.take();
  ASSERT_NE(job, nullptr);
  const auto batch = job->begin();
  EXPECT_EQ(job->take<int>(*batch), 5);
  job->finish({});
  EXPECT_TRUE(timer->is_completed());
}

// spec: S12 S1c
// case: SD-02
TEST(scheduler_close, after_it_every_call_is_refused_with_shutdown) {
  world w;
  testkit::queue_mailbox<> mailbox;
  bool ran = false;
  const auto run = [&] { ran = true; };
  w.timers().close();

  EXPECT_EQ(w.timers().schedule_once(0ms, run).error(), scheduler_error::shutdown);
  EXPECT_EQ(w.timers().schedule_once(10ms, run).error(), scheduler_error::shutdown);
  EXPECT_EQ(w.timers().schedule_once(10ms, mailbox, 1).error(), scheduler_error::shutdown);
  EXPECT_EQ(w.timers().schedule_at_fixed_rate(0ms, 0ms, run).error(), scheduler_error::shutdown);
  EXPECT_EQ(w.timers().schedule_with_fixed_delay(10ms, 10ms, run).error(),
            scheduler_error::shutdown);
  w.clock().advance(1s);
  EXPECT_FALSE(ran);
  EXPECT_EQ(w.timers().metrics().refused_total, 5u);
  EXPECT_TRUE(w.check_nothing_left());
}

// spec: S12
// case: SD-04
TEST(scheduler_close, tasks_run_by_priority_then_by_registration) {
  world w;
  run_digits order;
  EXPECT_TRUE(w.timers().on_close(close_priority::user, order.note(4)).has_value());
  EXPECT_TRUE(w.timers().on_close(close_priority::system, order.note(2)).has_value());
  EXPECT_TRUE(w.timers().on_close(close_priority::critical, order.note(1)).has_value());
  EXPECT_TRUE(w.timers().on_close(close_priority::system, order.note(3)).has_value());

  w.timers().close();
  EXPECT_EQ(order.digits, 0);
  const close_summary summary = run_close_tasks(w.timers());
  EXPECT_EQ(order.digits, 1234);
  EXPECT_EQ(summary.run, 4u);
  EXPECT_EQ(summary.failed, 0u);
  EXPECT_FALSE(w.timers().next_close_task().has_value());
}

// spec: S12
// case: SD-05
TEST(scheduler_close, a_task_that_fails_is_reported_and_the_others_still_run) {
  world w;
  std::array<scheduler_event, 4> storage{};
  diagnostics_subscription heard{w.timers().events(), storage, scheduler_event_kinds::warnings()};
  run_digits order;
  (void)w.timers().on_close(close_priority::user, order.note(1));
  (void)w.timers().on_close(close_priority::user,
                            []() -> std::expected<void, int> { return std::unexpected{1}; });
  (void)w.timers().on_close(close_priority::user, order.note(2));

  w.timers().close();
  const close_summary summary = run_close_tasks(w.timers());
  EXPECT_EQ(order.digits, 12);
  EXPECT_EQ(summary.run, 2u);
  EXPECT_EQ(summary.failed, 1u);
  const auto event = heard.try_next();
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->kind, scheduler_event_kind::task_run_failed);
  EXPECT_EQ(event->value, 2u);
  EXPECT_FALSE(heard.try_next().has_value());
}

#if defined(__cpp_exceptions)
// spec: S12
// case: SD-05
TEST(scheduler_close, a_task_that_throws_is_a_failure_and_nothing_escapes) {
  world w;
  (void)w.timers().on_close(close_priority::user, [] { throw 1; });
  (void)w.timers().on_close(close_priority::user, [] {});
  (void)w.timers().schedule_once(1s, [] { throw 2; }, {.at_shutdown = on_shutdown::run});
  w.timers().close();
  const close_summary summary = run_close_tasks(w.timers());
  EXPECT_EQ(summary.run, 1u);
  EXPECT_EQ(summary.failed, 2u);
}
#endif

// spec: S12
// case: SD-06
TEST(scheduler_close, the_number_of_tasks_is_limited) {
  testkit::scheduler_harness<8, 4, 4, 1> w;
  EXPECT_TRUE(w.timers().on_close(close_priority::user, [] {}).has_value());
  const auto second = w.timers().on_close(close_priority::critical, [] {});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error(), close_task_error::full);

  w.timers().close();
  const auto late = w.timers().on_close(close_priority::user, [] {});
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error(), close_task_error::shutdown);
  EXPECT_EQ(run_close_tasks(w.timers()).run, 1u);
}

// spec: S12
TEST(scheduler_close, a_second_close_does_nothing) {
  world w;
  int runs = 0;
  (void)w.timers().on_close(close_priority::user, [&] { ++runs; });
  const auto timer = w.timers().schedule_once(1s, [] {});
  EXPECT_EQ(w.timers().close(), 1u);
  EXPECT_EQ(w.timers().close(), 0u);
  (void)run_close_tasks(w.timers());
  EXPECT_EQ(w.timers().close(), 0u);
  (void)run_close_tasks(w.timers());
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(w.timers().metrics().cancelled_total, 1u);
  EXPECT_TRUE(timer->is_cancelled());
}

// spec: S12 S5
TEST(scheduler_close, cancels_jobs_in_every_state_and_leaves_nothing_behind) {
  world w;
  w.hold_jobs();
  int runs = 0;
  const auto run = [&] { ++runs; };
  auto queued = w.timers().schedule_once(10ms, run);
  auto rate = w.timers().schedule_at_fixed_rate(10ms, 10ms, run);
  w.clock().advance(10ms);
  auto delay = w.timers().schedule_with_fixed_delay(10ms, 10ms, run);
  auto overflowing = w.timers().schedule_once(10s, run);
  (void)w.timers().poll();
  auto pending = w.timers().schedule_once(10ms, run);

  EXPECT_EQ(w.timers().close(), 5u);
  EXPECT_TRUE(queued->is_cancelled() && rate->is_cancelled() && delay->is_cancelled() &&
              overflowing->is_cancelled() && pending->is_cancelled());
  EXPECT_TRUE(w.check_invariants());
  w.dispatcher().run_all();
  w.clock().advance(1s);
  w.dispatcher().run_all();
  EXPECT_EQ(runs, 0);
  queued = rate = delay = overflowing = pending = cancellable{};
  EXPECT_TRUE(w.check_nothing_left());
}

// On a board the link of a job in the wheel is its link in the queue of jobs to be handed out, too.
// spec: S12 S5
TEST(scheduler_close, cancels_all_jobs_of_one_deadline_in_the_wheel_and_in_the_overflow) {
  for (const auto delay : {5ms, 10000ms}) {
    world w;
    for (int job = 0; job < 4; ++job)
      ASSERT_TRUE(w.timers().schedule_once(delay, [] {}).has_value());
    (void)w.timers().poll();

    EXPECT_EQ(w.timers().close(), 4u);
    EXPECT_TRUE(w.check_nothing_left());
  }
}

// spec: S12 S3
TEST(scheduler_close, a_handler_may_close_the_scheduler_that_runs_it) {
  for (const job_mode mode : {job_mode::once, job_mode::fixed_rate, job_mode::fixed_delay}) {
    world w;
    int runs = 0;
    const auto run = [&w, &runs] {
      ++runs;
      w.timers().close();
    };
    auto timer = mode == job_mode::once ? w.timers().schedule_once(10ms, run)
                 : mode == job_mode::fixed_rate
                     ? w.timers().schedule_at_fixed_rate(10ms, 10ms, run)
                     : w.timers().schedule_with_fixed_delay(10ms, 10ms, run);
    auto other = w.timers().schedule_once(20ms, run);
    ASSERT_TRUE(timer.has_value() && other.has_value());

    w.clock().advance(1s);
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(timer->is_completed(), mode == job_mode::once);
    EXPECT_EQ(timer->is_cancelled(), mode != job_mode::once);
    EXPECT_TRUE(other->is_cancelled());
    timer = other = cancellable{};
    EXPECT_TRUE(w.check_nothing_left());
  }
}

// spec: S12 S3
TEST(scheduler_close, handles_outlive_their_scheduler_and_its_memory_can_be_reused) {
  testkit::manual_clock clock;
  testkit::queue_dispatcher dispatcher;
  static_scheduler_storage<8, 4> storage;
  cancellable old;
  cancellable at_end;
  int live = 0;
  struct counted {
    explicit counted(int& of) : count(&of) { ++*count; }
    counted(const counted& other) noexcept : count(other.count) { ++*count; }
    counted& operator=(const counted&) = delete;
    ~counted() { --*count; }
    void operator()() const noexcept {}
    int* count;
  };
  {
    scheduler timers{{}, storage.parts(clock, dispatcher)};
    old = *timers.schedule_once(1s, counted{live});
    at_end = *timers.schedule_once(1s, counted{live}, {.at_shutdown = on_shutdown::run});
    EXPECT_EQ(live, 2);
  }
  dispatcher.run_all();
  EXPECT_EQ(live, 0);
  EXPECT_TRUE(old.is_cancelled());
  EXPECT_TRUE(at_end.is_cancelled());  // the close tasks were not taken
  EXPECT_FALSE(old.cancel());

  scheduler timers{{}, storage.parts(clock, dispatcher)};
  testkit::scheduler_drive drive{clock, dispatcher};
  drive.start(timers);
  int runs = 0;
  const auto fresh = timers.schedule_once(10ms, [&] { ++runs; });
  ASSERT_TRUE(fresh.has_value());
  clock.advance(10ms);
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(old.is_cancelled());
  old = cancellable{};
  at_end = cancellable{};
  EXPECT_TRUE(testkit::check_invariants(timers));
}

}  // namespace
}  // namespace tactor
