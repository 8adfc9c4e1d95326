// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/job/timer_payload.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/testkit/queue_dispatcher.hpp"
#include "tactor/testkit/queue_mailbox.hpp"
#include "tactor/testkit/scheduler_harness.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <new>
#include <optional>
#include <utility>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

using world = testkit::scheduler_harness<8, 8>;

struct ping {
  int number;
};

// A move-only message that counts its live instances.
class unique_ping {
public:
  unique_ping(int number, int& live) : number_(number), live_(&live) { ++*live_; }
  unique_ping(unique_ping&& other) noexcept : number_(other.number_), live_(other.live_) {
    ++*live_;
  }
  unique_ping(const unique_ping&) = delete;
  unique_ping& operator=(const unique_ping&) = delete;
  unique_ping& operator=(unique_ping&&) = delete;
  ~unique_ping() { --*live_; }

  [[nodiscard]] int number() const { return number_; }

private:
  int number_;
  int* live_;
};

// Handles the oldest message. Returns: its batch; nothing if there was none or it was cancelled.
template <class Mailbox>
std::optional<execution_batch> handle_one(Mailbox& mailbox, run_result said = {}) {
  timer_job* const job = mailbox.take();
  if (job == nullptr) return std::nullopt;
  const auto batch = job->begin();
  if (batch) job->finish(said);
  return batch;
}

// spec: S1a S4
// case: SO-01 SO-02
TEST(scheduler_message, a_message_arrives_once_and_executes_when_the_receiver_takes_it) {
  world w;
  testkit::queue_mailbox<> mailbox;
  auto timer = w.timers().schedule_once(20ms, mailbox, ping{42});
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(10ms);
  EXPECT_EQ(mailbox.size(), 0u);
  w.clock().advance(10ms);
  ASSERT_EQ(mailbox.size(), 1u);
  EXPECT_EQ(timer->state(), timer_state::scheduled);
  EXPECT_EQ(w.timers().metrics().executed_total, 0u);

  timer_job* const job = mailbox.take();
  EXPECT_TRUE(job->carries<ping>());
  EXPECT_FALSE(job->carries<int>());
  EXPECT_EQ(job->id(), timer->id());
  const auto batch = job->begin();
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(timer->state(), timer_state::executing);
  EXPECT_FALSE(timer->cancel());
  EXPECT_EQ(job->take<ping>(*batch).number, 42);
  job->finish({});
  EXPECT_TRUE(timer->is_completed());
  w.clock().advance(1s);
  EXPECT_EQ(mailbox.size(), 0u);
  EXPECT_TRUE(w.dispatcher().idle());
  EXPECT_TRUE(w.check_invariants());
}

// spec: S4 S5
TEST(scheduler_message, a_message_that_waits_in_the_mailbox_can_be_cancelled_and_is_gone_at_once) {
  world w;
  testkit::queue_mailbox<> mailbox;
  int live = 0;
  auto timer = w.timers().schedule_once(20ms, mailbox, unique_ping{1, live});
  ASSERT_TRUE(timer.has_value());
  w.clock().advance(20ms);
  EXPECT_EQ(live, 1);

  EXPECT_TRUE(timer->cancel());
  EXPECT_EQ(live, 0);
  timer_job* const job = mailbox.take();
  ASSERT_NE(job, nullptr);
  EXPECT_FALSE(job->begin().has_value());
  EXPECT_EQ(mailbox.dead_letters(), 0u);
  EXPECT_EQ(w.timers().metrics().dropped_total, 1u);
  EXPECT_EQ(w.timers().metrics().undeliverable_total, 0u);
  timer = {};
  EXPECT_TRUE(w.check_nothing_left());
}

// spec: S1a
TEST(scheduler_message, a_message_that_can_only_be_moved_goes_out_of_a_one_shot) {
  world w;
  testkit::queue_mailbox<> mailbox;
  int live = 0;
  const auto timer = w.timers().schedule_once(20ms, mailbox, unique_ping{7, live});
  ASSERT_TRUE(timer.has_value());
  w.clock().advance(20ms);

  timer_job* const job = mailbox.take();
  const auto batch = job->begin();
  {
    const unique_ping taken = job->take<unique_ping>(*batch);
    EXPECT_EQ(taken.number(), 7);
    job->finish({});
    EXPECT_EQ(live, 1);
  }
  EXPECT_EQ(live, 0);
}

// spec: S4 S13
TEST(scheduler_message, a_receiver_that_is_gone_makes_one_dead_letter_and_completes_the_job) {
  world w;
  testkit::queue_mailbox<> mailbox;
  int live = 0;
  auto timer = w.timers().schedule_once(20ms, mailbox, unique_ping{1, live});
  ASSERT_TRUE(timer.has_value());
  mailbox.close();

  w.clock().advance(1s);
  EXPECT_EQ(mailbox.dead_letters(), 1u);
  EXPECT_EQ(live, 0);
  EXPECT_TRUE(timer->is_completed());
  EXPECT_FALSE(timer->cancel());
  EXPECT_FALSE(timer->is_cancelled());
  const auto metrics = w.timers().metrics();
  EXPECT_EQ(metrics.active_total, 0u);
  EXPECT_EQ(metrics.undeliverable_total, 1u);
  EXPECT_EQ(metrics.dropped_total, 1u);
  EXPECT_EQ(metrics.completed_total, 0u);
  timer = {};
  EXPECT_TRUE(w.check_nothing_left());
}

// spec: S4
TEST(scheduler_message, a_one_shot_that_an_overflow_strategy_refuses_or_evicts_is_undeliverable) {
  world w;
  testkit::queue_mailbox<1> mailbox;
  auto evicted = w.timers().schedule_once(10ms, mailbox, ping{1});
  auto refused = w.timers().schedule_once(10ms, mailbox, ping{2});

  w.clock().advance(10ms);
  EXPECT_EQ(mailbox.size(), 1u);
  EXPECT_EQ(mailbox.dead_letters(), 1u);
  EXPECT_TRUE(refused->is_completed());
  mailbox.evict_oldest();
  EXPECT_EQ(mailbox.dead_letters(), 2u);
  EXPECT_TRUE(evicted->is_completed());
  EXPECT_FALSE(evicted->cancel() || refused->cancel());
  EXPECT_EQ(w.timers().metrics().undeliverable_total, 2u);
  EXPECT_TRUE(w.check_invariants());
}

// spec: S4
TEST(scheduler_message, a_cancelled_message_that_is_discarded_stays_cancelled) {
  world w;
  testkit::queue_mailbox<> mailbox;
  auto timer = w.timers().schedule_once(10ms, mailbox, ping{1});
  w.clock().advance(10ms);
  EXPECT_TRUE(timer->cancel());

  mailbox.close();
  EXPECT_TRUE(timer->is_cancelled());
  EXPECT_EQ(w.timers().metrics().undeliverable_total, 0u);
  timer = {};
  EXPECT_TRUE(w.check_nothing_left());
}

// spec: S4 S6 S7
TEST(scheduler_message, a_periodic_job_removes_itself_when_its_receiver_is_gone) {
  for (const bool with_delay : {false, true}) {
    for (const bool waiting : {false, true}) {
      world w;
      testkit::queue_mailbox<> mailbox;
      auto timer = with_delay ? w.timers().schedule_with_fixed_delay(10ms, 10ms, mailbox, ping{1})
                              : w.timers().schedule_at_fixed_rate(10ms, 10ms, mailbox, ping{1});
      ASSERT_TRUE(timer.has_value());
      w.clock().advance(10ms);
      EXPECT_TRUE(waiting || handle_one(mailbox).has_value());
      mailbox.close();

      w.clock().advance(1s);
      EXPECT_EQ(mailbox.dead_letters(), 1u);
      EXPECT_TRUE(timer->is_completed());
      EXPECT_FALSE(timer->cancel());
      EXPECT_EQ(w.timers().metrics().undeliverable_total, 1u);
      EXPECT_EQ(w.timers().metrics().periodic_total, 0u);
      timer = {};
      EXPECT_TRUE(w.check_nothing_left());
    }
  }
}

// spec: S6
TEST(scheduler_message, a_fixed_rate_job_has_at_most_one_message_in_the_mailbox_and_folds) {
  world w;
  testkit::queue_mailbox<> mailbox;
  const auto timer = w.timers().schedule_at_fixed_rate(10ms, 10ms, mailbox, ping{5});
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(40ms);
  EXPECT_EQ(mailbox.size(), 1u);
  timer_job* const job = mailbox.take();
  const auto batch = job->begin();
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(*batch, (execution_batch{.runs = 4, .mode = job_mode::fixed_rate}));
  EXPECT_EQ(job->take<ping>(*batch).number, 5);

  w.clock().advance(20ms);  // two more fall due while it is being handled
  EXPECT_EQ(mailbox.size(), 0u);
  job->finish({});
  EXPECT_EQ(mailbox.size(), 1u);
  EXPECT_EQ(handle_one(mailbox)->runs, 2u);
  EXPECT_EQ(mailbox.size(), 0u);
  w.clock().advance(10ms);
  EXPECT_EQ(handle_one(mailbox)->runs, 1u);
  EXPECT_EQ(w.timers().metrics().fired_total, 7u);
  EXPECT_EQ(w.timers().metrics().executed_total, 3u);
  EXPECT_TRUE(w.check_invariants());
}

// spec: S6
TEST(scheduler_message, a_bursting_job_posts_the_next_run_when_the_previous_was_handled) {
  world w;
  testkit::queue_mailbox<> mailbox;
  const auto timer = w.timers().schedule_at_fixed_rate(10ms, 10ms, mailbox, ping{5},
                                                       {.missed_runs = missed::burst});
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(30ms);
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(mailbox.size(), 1u);
    timer_job* const job = mailbox.take();
    const auto batch = job->begin();
    EXPECT_EQ(batch->runs, 1u);
    EXPECT_EQ(job->take<ping>(*batch).number, 5);
    EXPECT_EQ(mailbox.size(), 0u);
    job->finish({});
  }
  EXPECT_EQ(mailbox.size(), 0u);
}

// spec: S6
TEST(scheduler_message, a_skipping_job_drops_runs_that_fall_due_while_its_message_waits) {
  world w;
  testkit::queue_mailbox<> mailbox;
  const auto timer = w.timers().schedule_at_fixed_rate(10ms, 10ms, mailbox, ping{5},
                                                       {.missed_runs = missed::skip});
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(50ms);
  EXPECT_EQ(handle_one(mailbox)->runs, 1u);
  EXPECT_EQ(mailbox.size(), 0u);
  w.clock().advance(10ms);
  EXPECT_EQ(handle_one(mailbox)->runs, 1u);
}

// spec: S6
TEST(scheduler_message, a_factory_makes_each_message_of_its_batch) {
  world w;
  testkit::queue_mailbox<> mailbox;
  int made = 0;
  const auto timer =
      w.timers().schedule_at_fixed_rate(10ms, 10ms, mailbox, [&made](execution_batch batch) {
        return ping{++made * 100 + static_cast<int>(batch.runs)};
      });
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(10ms);
  for (const int expected : {101, 203}) {
    timer_job* const job = mailbox.take();
    ASSERT_NE(job, nullptr);
    EXPECT_TRUE(job->carries<ping>());
    const auto batch = job->begin();
    EXPECT_EQ(job->take<ping>(*batch).number, expected);
    job->finish({});
    w.clock().jump(30ms);
  }
}

// spec: S7
TEST(scheduler_message, a_fixed_delay_counts_from_the_end_of_the_handler) {
  world w;
  testkit::queue_mailbox<> mailbox;
  const auto timer = w.timers().schedule_with_fixed_delay(10ms, 20ms, mailbox, ping{1});
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(500ms);
  ASSERT_EQ(mailbox.size(), 1u);
  timer_job* const job = mailbox.take();
  EXPECT_EQ(*job->begin(), (execution_batch{.runs = 1, .mode = job_mode::fixed_delay}));
  w.clock().advance(500ms);
  EXPECT_EQ(mailbox.size(), 0u);
  job->finish({});
  w.clock().advance(10ms);
  EXPECT_EQ(mailbox.size(), 0u);
  w.clock().advance(10ms);
  EXPECT_EQ(mailbox.size(), 1u);
}

// spec: S7 S4
TEST(scheduler_message, a_periodic_job_continues_when_one_message_is_refused_or_evicted) {
  for (const bool with_delay : {false, true}) {
    world w;
    testkit::queue_mailbox<1> mailbox;
    const auto filler = w.timers().schedule_once(10ms, mailbox, ping{0});
    auto timer = with_delay ? w.timers().schedule_with_fixed_delay(10ms, 10ms, mailbox, ping{1})
                            : w.timers().schedule_at_fixed_rate(10ms, 10ms, mailbox, ping{1});
    ASSERT_TRUE(timer.has_value() && filler.has_value());

    w.clock().advance(20ms);  // refused twice
    EXPECT_EQ(mailbox.dead_letters(), 2u);
    EXPECT_EQ(w.timers().metrics().dropped_total, 2u);
    EXPECT_TRUE(handle_one(mailbox).has_value());
    w.clock().advance(10ms);
    EXPECT_EQ(mailbox.size(), 1u);
    mailbox.evict_oldest();
    EXPECT_EQ(mailbox.dead_letters(), 3u);
    EXPECT_EQ(w.timers().metrics().dropped_total, 3u);
    w.clock().advance(10ms);
    EXPECT_EQ(handle_one(mailbox)->runs, 1u);
    EXPECT_EQ(w.timers().metrics().active_total, 1u);
    EXPECT_EQ(w.timers().metrics().undeliverable_total, 0u);
    EXPECT_TRUE(w.check_invariants());
  }
}

// spec: S6 S7
TEST(scheduler_message, refused_runs_are_counted_however_many_were_due) {
  world w;
  testkit::queue_mailbox<1> mailbox;
  const auto filler = w.timers().schedule_once(10ms, mailbox, ping{0});
  const auto timer = w.timers().schedule_at_fixed_rate(20ms, 10ms, mailbox, ping{1});
  ASSERT_TRUE(timer.has_value() && filler.has_value());
  w.clock().jump(6000ms);
  EXPECT_EQ(w.timers().metrics().dropped_total, 599u);
}

// spec: S7 S11
TEST(scheduler_message, a_handler_that_reports_failure_cancels_the_job) {
  world w;
  testkit::queue_mailbox<> mailbox;
  auto timer = w.timers().schedule_with_fixed_delay(10ms, 10ms, mailbox, ping{1});
  w.clock().advance(10ms);

  EXPECT_TRUE(handle_one(mailbox, std::unexpected{handler_error{.code = 3}}).has_value());
  EXPECT_TRUE(timer->is_cancelled());
  w.clock().advance(1s);
  EXPECT_EQ(mailbox.size(), 0u);
  EXPECT_EQ(w.timers().metrics().handler_failures_total, 1u);
  timer = {};
  EXPECT_TRUE(w.check_nothing_left());
}

// spec: S3
TEST(scheduler_message, the_hook_of_a_message_runs_on_its_dispatcher_in_every_state) {
  world w;
  testkit::queue_mailbox<> mailbox;
  testkit::queue_dispatcher other;
  int hooks = 0;
  auto pending = w.timers().schedule_once(10ms, mailbox, ping{1},
                                          {.dispatcher = &other, .on_cancelled = [&] { ++hooks; }});
  EXPECT_TRUE(pending->cancel());
  EXPECT_EQ(other.run_all(), 1u);
  EXPECT_EQ(hooks, 1);

  auto queued = w.timers().schedule_once(10ms, mailbox, ping{1},
                                         {.dispatcher = &other, .on_cancelled = [&] { ++hooks; }});
  w.clock().advance(10ms);
  EXPECT_TRUE(queued->cancel());
  EXPECT_EQ(hooks, 1);  // the mailbox has it, and sends it on
  EXPECT_FALSE(handle_one(mailbox).has_value());
  EXPECT_EQ(other.run_all(), 1u);
  EXPECT_EQ(hooks, 2);

  auto periodic = w.timers().schedule_at_fixed_rate(10ms, 10ms, mailbox, ping{1},
                                                    {.on_cancelled = [&] { ++hooks; }});
  w.clock().advance(10ms);
  timer_job* const job = mailbox.take();
  ASSERT_TRUE(job->begin().has_value());
  EXPECT_TRUE(periodic->cancel());
  job->finish({});
  EXPECT_EQ(hooks, 2);
  w.dispatcher().run_all();
  EXPECT_EQ(hooks, 3);

  const auto undeliverable = w.timers().schedule_once(
      10ms, mailbox, ping{1}, {.dispatcher = &other, .on_cancelled = [&] { ++hooks; }});
  mailbox.close();
  w.clock().advance(10ms);
  EXPECT_TRUE(undeliverable->is_completed());
  EXPECT_TRUE(other.idle());
  EXPECT_EQ(hooks, 3);
}

// spec: S3 S6
TEST(scheduler_message, a_periodic_message_is_copied_and_its_original_is_destroyed_with_the_job) {
  struct counted_ping {
    explicit counted_ping(int& count) : live(&count) { ++*live; }
    counted_ping(const counted_ping& other) : live(other.live) { ++*live; }
    counted_ping(counted_ping&& other) noexcept : live(other.live) { ++*live; }
    counted_ping& operator=(const counted_ping&) = delete;
    counted_ping& operator=(counted_ping&&) = delete;
    ~counted_ping() { --*live; }
    int* live;
  };
  world w;
  testkit::queue_mailbox<> mailbox;
  int live = 0;
  auto timer = w.timers().schedule_at_fixed_rate(10ms, 10ms, mailbox, counted_ping{live});
  ASSERT_TRUE(timer.has_value());
  EXPECT_EQ(live, 1);
  w.clock().advance(10ms);
  timer_job* const job = mailbox.take();
  const auto batch = job->begin();
  {
    const counted_ping copy = job->take<counted_ping>(*batch);
    EXPECT_EQ(live, 2);
    EXPECT_TRUE(timer->cancel());  // while its handler runs
    EXPECT_EQ(live, 2);
  }
  job->finish({});
  EXPECT_EQ(live, 0);
}

// Takes one message at a time and counts how often the scheduler released it.
class counting_sink final : public held_sink {
public:
  [[nodiscard]] post_result post(timer_job& message) noexcept override {
    if (closed) return post_result::closed;
    job = &message;
    return post_result::accepted;
  }
  void let_go() noexcept override { ++released; }

  timer_job* job = nullptr;
  int released = 0;
  bool closed = false;
};

TEST(scheduler_message, a_held_sink_is_released_with_the_last_hold_on_its_job) {
  counting_sink sink;
  world w;
  auto timer = *w.timers().schedule_once(10ms, sink, ping{1});
  w.clock().advance(10ms);
  ASSERT_TRUE(sink.job->begin().has_value());
  sink.job->finish({});
  EXPECT_TRUE(timer.is_completed());
  EXPECT_EQ(sink.released, 0) << "the handle keeps the job";
  timer = {};
  EXPECT_EQ(sink.released, 1);

  timer = *w.timers().schedule_once(10ms, sink, ping{1});
  EXPECT_TRUE(timer.cancel());
  timer = {};
  EXPECT_EQ(sink.released, 1) << "the driver has not polled";
  w.clock().advance(10ms);
  EXPECT_EQ(sink.released, 2);

  timer = *w.timers().schedule_with_fixed_delay(10ms, 10ms, sink, ping{1});
  timer = {};
  for (int run = 0; run < 3; ++run) {
    w.clock().advance(10ms);
    ASSERT_TRUE(sink.job->begin().has_value());
    sink.job->finish({});
  }
  EXPECT_EQ(sink.released, 2);
  sink.closed = true;
  w.clock().advance(10ms);
  EXPECT_EQ(sink.released, 3) << "undeliverable";
}

TEST(scheduler_message, a_held_sink_is_released_once_when_the_scheduler_closes) {
  counting_sink sink;
  {
    world w;
    ASSERT_TRUE(w.timers().schedule_once(10ms, sink, ping{1}).has_value());
    ASSERT_TRUE(w.timers().schedule_at_fixed_rate(10ms, 10ms, sink, ping{1}).has_value());
    w.timers().close();
  }
  EXPECT_EQ(sink.released, 2);
}

TEST(scheduler_message, a_refused_call_leaves_a_held_sink_to_its_caller) {
  struct large {
    std::array<int, 16> numbers;
  };
  counting_sink sink;
  {
    world w{{}, nullptr};
    // Records that have held a sink before behave the same.
    for (int n = 0; n < 16; ++n) {
      auto timer = *w.timers().schedule_once(10ms, sink, ping{1});
      timer.cancel();
    }
    w.clock().advance(10ms);
    ASSERT_EQ(sink.released, 16);

    EXPECT_FALSE(w.timers().schedule_once(0ms, sink, ping{1}).has_value());
    EXPECT_FALSE(w.timers().schedule_once(10ms, sink, large{}).has_value()) << "no block source";
    testkit::queue_mailbox<> mailbox;
    ASSERT_TRUE(w.timers().schedule_once(10ms, mailbox, ping{1}).has_value());
    ASSERT_TRUE(w.timers().schedule_once(10ms, [] {}).has_value());
    w.timers().close();
    EXPECT_FALSE(w.timers().schedule_once(10ms, sink, ping{1}).has_value());
  }
  EXPECT_EQ(sink.released, 16);
}

TEST(scheduler_message, a_receiver_can_hold_a_job_beyond_its_end) {
  counting_sink sink;
  world w;
  auto timer = *w.timers().schedule_once(10ms, sink, ping{1});
  w.clock().advance(10ms);
  EXPECT_TRUE(timer.cancel());
  const std::uint64_t id = timer.id();
  timer = {};
  timer_job& cancelled = *sink.job;
  cancelled.hold();
  EXPECT_FALSE(cancelled.begin().has_value());
  EXPECT_EQ(cancelled.id(), id) << "no other job has its record";
  EXPECT_EQ(sink.released, 0);
  cancelled.let_go();
  EXPECT_EQ(sink.released, 1);

  ASSERT_TRUE(w.timers().schedule_once(10ms, sink, ping{1}).has_value());
  w.clock().advance(10ms);
  timer_job& finished = *sink.job;
  finished.hold();
  ASSERT_TRUE(finished.begin().has_value());
  finished.finish({});
  EXPECT_EQ(sink.released, 1);
  finished.let_go();
  EXPECT_EQ(sink.released, 2);
  EXPECT_TRUE(w.check_nothing_left());
}

TEST(scheduler_message, a_message_can_be_built_in_storage_of_the_receiver) {
  int live = 0;
  {
    world w;
    testkit::queue_mailbox<> mailbox;
    ASSERT_TRUE(w.timers().schedule_once(10ms, mailbox, unique_ping{7, live}).has_value());
    w.clock().advance(10ms);
    timer_job* const job = mailbox.take();
    const auto batch = job->begin();
    ASSERT_TRUE(batch.has_value());
    alignas(unique_ping) std::byte storage[sizeof(unique_ping)];
    ASSERT_TRUE(job->take_into(*batch, storage).has_value());
    auto* const message = std::launder(reinterpret_cast<unique_ping*>(storage));
    job->finish({});
    EXPECT_EQ(message->number(), 7);
    EXPECT_EQ(live, 1) << "the job's own is gone";
    message->~unique_ping();
  }
  EXPECT_EQ(live, 0);
}

// What a schedule call without a receiver accepts; anything else is a compile error.
static_assert(schedulable<void (*)()>);
static_assert(schedulable<void (&)()>);
static_assert(schedulable<decltype([](execution_batch) {})>);
static_assert(schedulable<decltype([]() -> std::expected<int, int> { return 0; })>);
static_assert(schedulable<decltype([]() mutable {})&>);
static_assert(!schedulable<ping>);
static_assert(!schedulable<decltype([] { return 42; })>);
static_assert(!schedulable<decltype([](int) {})>);
static_assert(!schedulable<decltype([]() -> std::optional<int> { return 0; })>);

}  // namespace
}  // namespace tactor
