// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_storage.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/queue_dispatcher.hpp"
#include "tactor/testkit/scheduler_harness.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tactor {

namespace {

using namespace std::chrono_literals;

using world = testkit::scheduler_harness<8, 8>;

// Schedules and cancels the next timer as soon as the poll has removed the previous timer, as
// another thread may do it at that moment.
class restless_sink final : public held_sink {
public:
  explicit restless_sink(scheduler& timers) : timers_(timers) {}

  void schedule_and_cancel() noexcept {
    ++scheduled;
    auto timer = timers_.schedule_once(1s, *this, 42);
    if (timer) timer->cancel();
  }
  [[nodiscard]] post_result post(timer_job&) noexcept override { return post_result::closed; }
  void let_go() noexcept override {
    if (scheduled < 1000) schedule_and_cancel();
  }

  int scheduled = 0;

private:
  scheduler& timers_;
};

// spec: T4
TEST(scheduler_poll, ends_although_others_schedule_and_cancel_without_end) {
  world w;
  restless_sink sink{w.timers()};
  sink.schedule_and_cancel();

  EXPECT_TRUE(w.timers().poll().again) << "the command that came meanwhile waits";
  EXPECT_EQ(sink.scheduled, 2);

  while (w.timers().poll().again) {
  }
  EXPECT_EQ(sink.scheduled, 1000);
  EXPECT_FALSE(w.timers().has_commands());
}

// Counts the jobs that it was given.
class counting_dispatcher final : public job_dispatcher {
public:
  void dispatch(timer_job& job) noexcept override {
    queue.dispatch(job);
    ++dispatched;
  }

  testkit::queue_dispatcher queue;
  int dispatched = 0;
};

// Looks, when it is destroyed.
class looks_at_the_end {
public:
  looks_at_the_end(const counting_dispatcher& at, int& seen) : at_(&at), seen_(&seen) {}
  looks_at_the_end(looks_at_the_end&& other) noexcept
      : at_(std::exchange(other.at_, nullptr)), seen_(other.seen_) {}
  ~looks_at_the_end() {
    if (at_ != nullptr) *seen_ = at_->dispatched;
  }
  void operator()() const {}

private:
  const counting_dispatcher* at_;
  int* seen_;
};

// spec: S7
TEST(scheduler_poll, a_callable_that_is_due_is_dispatched_before_a_destructor_runs) {
  testkit::manual_clock clock;
  counting_dispatcher dispatcher;
  static_scheduler_storage<8, 8> storage;
  int seen = -1;
  scheduler timers{{}, storage.parts(clock, dispatcher)};
  periodic_options few;
  few.backlog_limit = 1;
  ASSERT_TRUE(timers.schedule_once(10ms, [] {}).has_value());
  ASSERT_TRUE(
      timers.schedule_at_fixed_rate(10ms, 10ms, looks_at_the_end{dispatcher, seen}, std::move(few))
          .has_value());
  clock.jump(1s);
  (void)timers.poll();

  EXPECT_EQ(seen, 1);
  dispatcher.queue.run_all();
}

// Polls when the first job is dispatched, as a caller does that finds no capacity.
class polling_dispatcher final : public job_dispatcher {
public:
  explicit polling_dispatcher(testkit::manual_clock& clock) : clock_(clock) {}
  void dispatch(timer_job& job) noexcept override {
    queue.dispatch(job);
    if (scheduler* const polled = std::exchange(polls, nullptr)) {
      clock_.jump(10ms);
      (void)polled->poll();
    }
  }

  testkit::queue_dispatcher queue;
  scheduler* polls = nullptr;

private:
  testkit::manual_clock& clock_;
};

// spec: T4
TEST(scheduler_poll, jobs_keep_their_order_although_user_code_polls) {
  testkit::manual_clock clock;
  polling_dispatcher dispatcher{clock};
  static_scheduler_storage<8, 8> storage;
  scheduler timers{{}, storage.parts(clock, dispatcher)};
  struct {
    std::array<int, 3> order{};
    std::size_t ran = 0;
  } log;
  const auto notes = [&](int which) { return [&log, which] { log.order[log.ran++] = which; }; };
  ASSERT_TRUE(timers.schedule_once(10ms, notes(1)).has_value());
  ASSERT_TRUE(timers.schedule_once(10ms, notes(2)).has_value());
  ASSERT_TRUE(timers.schedule_once(20ms, notes(3)).has_value());
  (void)timers.poll();
  dispatcher.polls = &timers;
  clock.jump(10ms);
  (void)timers.poll();
  dispatcher.queue.run_all();

  EXPECT_EQ(log.order, (std::array{1, 2, 3}));
}

// spec: S10
TEST(scheduler_poll, a_job_that_is_evicted_while_the_next_deadline_is_looked_for_ends_at_once) {
  testkit::manual_clock clock;
  testkit::queue_dispatcher dispatcher;
  static_scheduler_storage<8, 8> storage;
  scheduler_config config;
  config.timing.overflow_capacity = 1;
  scheduler timers{config, storage.parts(clock, dispatcher)};
  once_options low;
  low.priority = timer_priority::low;
  bool hook = false;
  low.on_cancelled = [&] { hook = true; };
  const auto evicted = timers.schedule_once(1h, [] {}, std::move(low));
  ASSERT_TRUE(evicted.has_value());
  ASSERT_TRUE(timers.schedule_once(2h, [] {}).has_value());

  EXPECT_TRUE(timers.next_deadline().has_value());
  EXPECT_TRUE(evicted->is_cancelled());
  dispatcher.run_all();
  EXPECT_TRUE(hook);
}

TEST(scheduler_poll, a_driver_that_sleeps_long_is_woken_before_it_has_too_many_commands) {
  testkit::manual_clock clock;
  testkit::queue_dispatcher dispatcher;
  static_scheduler_storage<8, 8> storage;
  scheduler timers{{}, storage.parts(clock, dispatcher)};
  internal::timer_store& store = timers.store();
  ASSERT_TRUE(timers.schedule_once(1h, [] {}).has_value());
  (void)timers.poll();
  const auto wakes = [&] { return store.wake_word.load(port::relaxed); };
  const std::uint32_t before = wakes();
  store.totals.scheduled.store(internal::timer_store::commands_in_sleep - 2, port::relaxed);
  ASSERT_TRUE(timers.schedule_once(2h, [] {}).has_value());
  EXPECT_EQ(wakes(), before);
  ASSERT_TRUE(timers.schedule_once(2h, [] {}).has_value());
  EXPECT_EQ(wakes(), before + 1);
}

// A clock whose stamp is a nanosecond later than what it shows.
class stamping_clock final : public monotonic_clock {
public:
  [[nodiscard]] timer_instant now() const noexcept override {
    return {.ticks = now_ns, .resolution_ns = 1};
  }
  [[nodiscard]] timer_instant stamp() const noexcept override {
    return {.ticks = now_ns + 1, .resolution_ns = 1};
  }
  [[nodiscard]] clock_kind kind() const noexcept override { return clock_kind::deterministic; }

  std::uint64_t now_ns = 0;
};

// spec: T4
TEST(scheduler_poll, counts_delays_from_the_stamp_and_fires_by_the_clock) {
  stamping_clock clock;
  testkit::queue_dispatcher dispatcher;
  static_scheduler_storage<8, 8> storage;
  scheduler timers{{}, storage.parts(clock, dispatcher)};
  int once = 0;
  int repeated = 0;
  const auto first = timers.schedule_once(10ms, [&] { ++once; });
  const auto second = timers.schedule_with_fixed_delay(10ms, 10ms, [&] { ++repeated; });
  const auto poll_at = [&](std::uint64_t ns) {
    clock.now_ns = ns;
    (void)timers.poll();
    dispatcher.run_all();
  };

  poll_at(19'999'999);
  EXPECT_EQ(once + repeated, 0) << "10 ms after the stamp is in the second tick";
  poll_at(20'000'000);
  EXPECT_EQ(once, 1);
  EXPECT_EQ(repeated, 1);
  poll_at(39'999'999);
  EXPECT_EQ(repeated, 1);
  poll_at(40'000'000);
  EXPECT_EQ(repeated, 2);
  timers.close();
}

}  // namespace
}  // namespace tactor
