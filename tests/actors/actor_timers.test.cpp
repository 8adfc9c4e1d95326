// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/behaviour.hpp"
#include "tactor/core/actor/scheduling.hpp"
#include "tactor/core/actor/spawning.hpp"
#include "tactor/core/dispatch/single_thread_coordinator.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/own_timers.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/scheduler/report/deterministic_log.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/timer_envelope.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"
#include "tactor/core/system/cooperative_loop.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/probe.hpp"
#include "tactor/testkit/queue_dispatcher.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"
#include "tactor/testkit/simulation_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

/// A system in which the test does each step: the clock moves without a poll, and the timers are
/// polled without any actor running.
class by_hand final : public spawning<by_hand>, public scheduling<by_hand>, private timer_poller {
public:
  explicit by_hand(const system_config& config = {})
      : storage_(config.scheduler),
        timers_(config.scheduler, storage_.parts(clock, dispatcher_, *this)),
        core_((testkit::provide_heap_memory(), config),
              {.clock = clock, .timers = &timers_, .coordinator = coordinator_}),
        loop_(core_, coordinator_) {}
  by_hand(const by_hand&) = delete;
  by_hand& operator=(const by_hand&) = delete;
  ~by_hand() {
    core_.begin_stop();
    run();
    EXPECT_TRUE(core_.now_in() == system_core::phase::stopped);
    (void)timers_.close();
  }

  /// Time passes, and then the timers are polled.
  void wait(duration length) {
    clock.advance(length);
    (void)timers_.poll();
  }
  void run() { (void)loop_.run_ready(); }

  // For the mix-ins.
  [[nodiscard]] scheduler& timers() const noexcept { return timers_; }
  [[nodiscard]] static cell* timer_owner() noexcept { return nullptr; }
  [[nodiscard]] std::expected<actor_ref<>, spawn_error>
  spawn_cell(const spawn_request& wanted) const noexcept {
    return core_.spawn(wanted, nullptr);
  }
  [[nodiscard]] system_core& core() const noexcept { return core_; }

  testkit::manual_clock clock;

private:
  void poll_now() noexcept override { (void)timers_.poll(); }

  testkit::queue_dispatcher dispatcher_;
  testkit::timer_storage storage_;
  single_thread_coordinator coordinator_;
  mutable scheduler timers_;
  mutable system_core core_;
  cooperative_loop<single_thread_coordinator> loop_;
};

struct tick_tock {
  int number = 0;
};
struct note {
  std::string text;
};
/// A message whose end can be seen.
struct held_note {
  std::shared_ptr<int> held;
};

/// Remembers what it was sent, and what each stood for.
struct diary {
  std::string text;
  std::vector<std::uint64_t> runs;
};
class writer : public actor<tick_tock, note, held_note> {
public:
  explicit writer(diary* const& to) : to_(to) {}
  void receive(context& ctx, const tick_tock& t) {
    to_->text += std::to_string(t.number) + ";";
    to_->runs.push_back(ctx.batch().runs);
  }
  void receive(context&, const note& n) { to_->text += n.text + ";"; }
  void receive(context&, const held_note&) { to_->text += "held;"; }

private:
  diary* to_;
};

class timers_of_actors : public ::testing::Test {
protected:
  std::uint64_t dead(drop_reason why) { return world.core().metrics().dead_letters_for(why); }
  std::uint64_t all_dead() { return world.core().metrics().all_dead_letters(); }
  auto spawn_writer(const mailbox_options& mailbox = {}) {
    return world.spawn<writer>({.name = "writer", .mailbox = mailbox}, &book);
  }
  diary book;
  by_hand world;
};
using a_timer_message = timers_of_actors;

// spec: S8
TEST_F(a_timer_message, reaches_its_actor_through_the_mailbox_and_the_driver_runs_nothing) {
  const auto to = spawn_writer();
  world.run();
  ASSERT_TRUE(world.schedule_once(20ms, to, note{"timer"}).has_value());
  to.tell(note{"before"});
  world.wait(20ms);
  EXPECT_EQ(book.text, "");  // the poll has only queued it
  to.tell(note{"after"});
  world.run();
  EXPECT_EQ(book.text, "before;timer;after;");
}

// spec: S8
TEST_F(a_timer_message, comes_after_system_messages) {
  const auto to = spawn_writer();
  world.run();
  auto job = world.schedule_once(10ms, to, note{"timer"});
  world.wait(10ms);
  world.core().stop(to);  // later than the message, and yet first
  world.run();
  EXPECT_EQ(book.text, "");
  EXPECT_EQ(dead(drop_reason::stopped), 1u);
  EXPECT_TRUE(job->is_completed());
  EXPECT_FALSE(job->cancel());
  EXPECT_EQ(world.timers().metrics().undeliverable_total, 1u);
}

// spec: T3
TEST_F(a_timer_message, of_the_same_tick_comes_in_the_order_of_scheduling) {
  const auto to = spawn_writer();
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(world.schedule_once(10ms, to, tick_tock{i}).has_value());
  world.wait(10ms);
  world.run();
  EXPECT_EQ(book.text, "0;1;2;3;4;5;6;7;8;9;");
}

// spec: S3 S4 S5
TEST_F(a_timer_message, that_is_queued_can_be_cancelled_and_is_destroyed_at_once) {
  const auto to = spawn_writer();
  const auto held = std::make_shared<int>(1);
  auto job = world.schedule_once(10ms, to, held_note{held});
  to.tell(note{"before"});
  world.wait(10ms);
  to.tell(note{"after"});
  EXPECT_EQ(held.use_count(), 2);

  EXPECT_TRUE(job->cancel());
  EXPECT_EQ(held.use_count(), 1);  // before the actor handles it
  EXPECT_FALSE(job->cancel());
  EXPECT_TRUE(job->is_cancelled());
  world.run();
  EXPECT_EQ(book.text, "before;after;");
  EXPECT_EQ(all_dead(), 0u);
  const auto counted = world.timers().metrics();
  EXPECT_EQ(counted.cancelled_total, 1u);
  EXPECT_EQ(counted.executed_total, 0u);
  EXPECT_EQ(counted.active_total, 0u);
}

// spec: O7a S4
TEST_F(a_timer_message, that_is_cancelled_in_a_mailbox_waits_no_more) {
  const auto to = spawn_writer({.capacity = 1, .overflow = overflow_strategy::drop_oldest});
  auto evicted = world.schedule_once(10ms, to, note{"evicted"});
  world.wait(10ms);
  EXPECT_TRUE(evicted->cancel());
  auto met = world.schedule_once(10ms, to, note{"met by the actor"});
  world.wait(10ms);
  EXPECT_TRUE(met->cancel());
  world.run();
  EXPECT_EQ(world.core().metrics().messages_sent, 2u);
  EXPECT_EQ(world.core().metrics().messages_cancelled, 2u);
  EXPECT_EQ(world.core().metrics().waiting(), 0u);

  auto left = world.schedule_once(10ms, to, note{"left behind"});
  world.wait(10ms);
  EXPECT_TRUE(left->cancel());
  world.core().stop(to);
  world.run();
  EXPECT_EQ(world.core().metrics().messages_cancelled, 3u);
  EXPECT_EQ(world.core().metrics().waiting(), 0u);
  EXPECT_EQ(all_dead(), 0u);
}

// spec: S4
TEST_F(a_timer_message, that_is_handled_can_not_be_cancelled_any_more) {
  const auto to = spawn_writer();
  const auto held = std::make_shared<int>(1);
  auto job = world.schedule_once(10ms, to, held_note{held});
  world.wait(10ms);
  world.run();
  EXPECT_EQ(book.text, "held;");
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_TRUE(job->is_completed());
  EXPECT_FALSE(job->cancel());
  EXPECT_FALSE(job->is_cancelled());
}

// spec: S4
TEST_F(a_timer_message, can_not_be_cancelled_by_its_own_handler) {
  cancellable job;
  bool cancelled = true;
  const auto to =
      world.spawn("to", [&](tactor::context&, const note&) { cancelled = job.cancel(); });
  job = world.schedule_once(10ms, to, note{"x"}).value();
  world.wait(10ms);
  world.run();
  EXPECT_FALSE(cancelled);
  EXPECT_TRUE(job.is_completed());
}

// spec: S4
TEST_F(a_timer_message, that_was_cancelled_is_no_dead_letter_of_an_actor_that_stops) {
  const auto to = spawn_writer();
  auto job = world.schedule_once(10ms, to, note{"x"});
  world.wait(10ms);
  EXPECT_TRUE(job->cancel());
  world.core().stop(to);
  world.run();
  EXPECT_EQ(all_dead(), 0u);
  EXPECT_TRUE(job->is_cancelled());
}

// spec: S4
// case: SO-13
TEST_F(a_timer_message, to_an_actor_that_stopped_before_the_deadline_is_one_dead_letter) {
  const auto to = spawn_writer();
  auto job = world.schedule_once(50ms, to, note{"x"});
  world.core().stop(to);
  world.run();
  EXPECT_EQ(all_dead(), 0u);
  world.wait(50ms);
  world.run();
  world.wait(1s);

  EXPECT_EQ(book.text, "");
  EXPECT_EQ(all_dead(), 1u);
  EXPECT_TRUE(job->is_completed());
  EXPECT_FALSE(job->cancel());
  EXPECT_EQ(world.timers().metrics().active_total, 0u);
  EXPECT_EQ(world.timers().metrics().undeliverable_total, 1u);
}

// spec: S4
// case: SP-09
TEST_F(a_timer_message, that_repeats_ends_with_its_actor_after_one_dead_letter) {
  for (const bool rate : {true, false}) {
    const auto to = spawn_writer();
    auto job = rate ? world.schedule_at_fixed_rate(10ms, 10ms, to, note{"x"})
                    : world.schedule_with_fixed_delay(10ms, 10ms, to, note{"x"});
    world.wait(10ms);
    world.run();
    const std::uint64_t before = all_dead();
    world.core().stop(to);
    world.run();
    for (int i = 0; i < 10; ++i) {
      world.wait(10ms);
      world.run();
    }
    EXPECT_EQ(all_dead(), before + 1);
    EXPECT_FALSE(job->cancel());
    EXPECT_EQ(world.timers().metrics().active_total, 0u);
    EXPECT_EQ(world.timers().metrics().periodic_total, 0u);
  }
  EXPECT_EQ(book.text, "x;x;");
}

// spec: S4 M3
TEST_F(a_timer_message, that_a_full_mailbox_refuses_is_undeliverable) {
  const auto to = spawn_writer({.capacity = 1});
  auto job = world.schedule_once(10ms, to, note{"timer"});
  to.tell(note{"full"});
  world.wait(10ms);
  EXPECT_EQ(dead(drop_reason::full), 1u);
  EXPECT_TRUE(job->is_completed());
  EXPECT_FALSE(job->cancel());
  world.run();
  EXPECT_EQ(book.text, "full;");
  EXPECT_EQ(world.timers().metrics().undeliverable_total, 1u);
}

// spec: S4 M3
TEST_F(a_timer_message, that_is_dropped_for_a_newer_one_is_undeliverable) {
  const auto to = spawn_writer({.capacity = 1, .overflow = overflow_strategy::drop_oldest});
  const auto held = std::make_shared<int>(1);
  auto job = world.schedule_once(10ms, to, held_note{held});
  world.wait(10ms);
  EXPECT_EQ(held.use_count(), 2);
  to.tell(note{"newer"});
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(dead(drop_reason::dropped_oldest), 1u);
  EXPECT_TRUE(job->is_completed());
  EXPECT_FALSE(job->cancel());
  world.run();
  EXPECT_EQ(book.text, "newer;");
}

// spec: S4 M3
TEST_F(a_timer_message, may_push_an_older_one_out) {
  const auto to = spawn_writer({.capacity = 1, .overflow = overflow_strategy::drop_oldest});
  auto job = world.schedule_once(10ms, to, note{"timer"});
  to.tell(note{"older"});
  world.wait(10ms);
  EXPECT_EQ(dead(drop_reason::dropped_oldest), 1u);
  world.run();
  EXPECT_EQ(book.text, "timer;");
  EXPECT_TRUE(job->is_completed());
}

// spec: S6
TEST_F(a_timer_message, that_waits_folds_the_runs_it_misses_into_one) {
  const auto to = spawn_writer();
  auto job = world.schedule_at_fixed_rate(10ms, 10ms, to, tick_tock{1});
  for (int i = 0; i < 5; ++i)
    world.wait(10ms);
  world.run();
  EXPECT_EQ(book.text, "1;");
  EXPECT_EQ(book.runs, (std::vector<std::uint64_t>{5}));
  world.wait(10ms);
  world.run();
  EXPECT_EQ(book.runs, (std::vector<std::uint64_t>{5, 1}));
  EXPECT_EQ(world.timers().metrics().fired_total, 6u);
  EXPECT_TRUE(job->cancel());
}

// spec: S6
TEST_F(a_timer_message, that_bursts_hands_out_the_next_run_when_the_previous_was_handled) {
  const auto to = spawn_writer();
  auto job =
      world.schedule_at_fixed_rate(10ms, 10ms, to, tick_tock{1}, {.missed_runs = missed::burst});
  to.tell(note{"a"});
  for (int i = 0; i < 3; ++i)
    world.wait(10ms);
  to.tell(note{"b"});
  // Only one of them waits in the mailbox, so the others come behind what was sent meanwhile.
  for (int i = 0; i < 5; ++i) {
    world.run();
    (void)world.timers().poll();
  }
  EXPECT_EQ(book.text, "a;1;b;1;1;");
  EXPECT_EQ(book.runs, (std::vector<std::uint64_t>{1, 1, 1}));
  EXPECT_TRUE(job->cancel());
}

// spec: S6
TEST_F(a_timer_message, that_skips_forgets_the_runs_it_misses) {
  const auto to = spawn_writer();
  auto job =
      world.schedule_at_fixed_rate(10ms, 10ms, to, tick_tock{1}, {.missed_runs = missed::skip});
  for (int i = 0; i < 5; ++i)
    world.wait(10ms);
  world.run();
  EXPECT_EQ(book.runs, (std::vector<std::uint64_t>{1}));
  world.wait(10ms);
  world.run();
  EXPECT_EQ(book.runs, (std::vector<std::uint64_t>{1, 1}));
  EXPECT_TRUE(job->cancel());
}

// spec: S6
TEST_F(a_timer_message, may_be_made_by_a_factory_of_what_it_stands_for) {
  const auto to = spawn_writer();
  auto job = world.schedule_at_fixed_rate(10ms, 10ms, to, [](execution_batch batch) {
    return tick_tock{static_cast<int>(batch.runs) * 100};
  });
  world.wait(10ms);
  world.run();
  world.wait(10ms);
  world.wait(10ms);
  world.run();
  EXPECT_EQ(book.text, "100;200;");
  EXPECT_TRUE(job->cancel());
}

// spec: X1
TEST_F(a_timer_message, names_its_actor_as_executor_in_the_log) {
  static_log_storage<16, 8> storage;
  deterministic_log log{world.timers().events(), storage.view()};
  const auto first = spawn_writer();
  const auto second = spawn_writer();
  for (int i = 0; i < 2; ++i) {  // the second round in the memory of the first
    ASSERT_TRUE(world.schedule_once(10ms, first, tick_tock{1}).has_value());
    ASSERT_TRUE(world.schedule_once(10ms, second, tick_tock{2}).has_value());
    ASSERT_TRUE(world.schedule_once(20ms, first, tick_tock{3}).has_value());
    for (int wait = 0; wait < 2; ++wait) {
      world.wait(10ms);
      world.run();
    }
  }
  std::string executors;
  for (std::size_t i = 0; i < log.size(); ++i)
    executors += std::to_string(log[i].executor);
  EXPECT_EQ(executors, "121121121121") << "scheduled and fired, twice";
}

// spec: S6 S11
TEST_F(a_timer_message, whose_factory_throws_ends_its_job_and_nothing_else) {
  const auto to = spawn_writer();
  int made = 0;
  auto job = world.schedule_at_fixed_rate(10ms, 10ms, to, [&made](execution_batch) {
    if (++made == 3) throw std::runtime_error{"no more"};
    return tick_tock{made};
  });
  for (int i = 0; i < 5; ++i) {
    world.wait(10ms);
    world.run();
  }
  EXPECT_EQ(book.text, "1;2;");
  EXPECT_EQ(made, 3);
  EXPECT_TRUE(job->is_cancelled());
  EXPECT_EQ(world.timers().metrics().handler_failures_total, 1u);
  EXPECT_EQ(world.timers().metrics().active_total, 0u);
  to.tell(tick_tock{7});
  world.run();
  EXPECT_EQ(book.text, "1;2;7;") << "it was not the actor who failed";
}

// Cannot be copied for ever, and counts how many of it live.
struct worn_out {
  explicit worn_out(int* copies_left) : left(copies_left) { ++live; }
  worn_out(worn_out&& other) noexcept : left(other.left) { ++live; }
  worn_out(const worn_out& other) : left(other.left) {
    if (--*left < 0) throw std::runtime_error{"worn out"};
    ++live;
  }
  worn_out& operator=(const worn_out&) = delete;
  worn_out& operator=(worn_out&&) = delete;
  ~worn_out() { --live; }

  int* left;
  static inline int live = 0;
};

// spec: S7 S11
TEST_F(a_timer_message, whose_copy_throws_ends_its_job_and_nothing_else) {
  int handled = 0;
  int copies_left = 2;
  const auto to = world.spawn("to", [&handled](tactor::context&, const worn_out&) { ++handled; });
  auto job = world.schedule_with_fixed_delay(10ms, 10ms, to, worn_out{&copies_left});
  for (int i = 0; i < 6; ++i) {
    world.wait(10ms);
    world.run();
  }
  EXPECT_EQ(handled, 2);
  EXPECT_TRUE(job->is_cancelled());
  EXPECT_EQ(world.timers().metrics().handler_failures_total, 1u);
  EXPECT_EQ(worn_out::live, 0);
  EXPECT_EQ(world.core().metrics().messages_cancelled, 1u) << "it was sent, and never made";
  EXPECT_EQ(world.core().metrics().waiting(), 0u);
}

// spec: S7
TEST_F(a_timer_message, with_fixed_delay_comes_again_after_the_end_of_its_handling) {
  std::vector<std::int64_t> at;
  const auto slow = world.spawn("slow", [&](tactor::context&, const tick_tock&) {
    at.push_back(static_cast<std::int64_t>(world.core().now_ns() / 1'000'000));
    world.clock.advance(35ms);  // it takes that long
  });
  auto job = world.schedule_with_fixed_delay(10ms, 20ms, slow, tick_tock{});
  for (int i = 0; i < 30; ++i) {
    world.wait(5ms);
    world.run();
  }
  // 10, and then 35 of handling and 20 of delay, in whole ticks of 10.
  ASSERT_GE(at.size(), 4u);
  EXPECT_EQ(at[0], 10);
  for (std::size_t i = 1; i < at.size(); ++i) {
    EXPECT_GE(at[i] - at[i - 1], 55);
    EXPECT_LE(at[i] - at[i - 1], 70);
  }
  EXPECT_TRUE(job->cancel());
}

// spec: S7
TEST_F(a_timer_message, does_not_overload_a_slow_actor) {
  const auto to = spawn_writer();
  auto rate = world.schedule_at_fixed_rate(10ms, 10ms, to, tick_tock{1});
  auto delay = world.schedule_with_fixed_delay(10ms, 10ms, to, tick_tock{2});
  for (int i = 0; i < 100; ++i)
    world.wait(10ms);
  world.run();
  EXPECT_EQ(book.text, "1;2;");  // one of each
  EXPECT_TRUE(rate->cancel());
  EXPECT_TRUE(delay->cancel());
}

// spec: S7
TEST_F(a_timer_message, with_fixed_delay_goes_on_when_one_of_its_runs_is_refused_or_evicted) {
  for (const overflow_strategy rule : {overflow_strategy::reject, overflow_strategy::drop_oldest}) {
    book = {};
    const auto to = spawn_writer({.capacity = 1, .overflow = rule});
    world.run();
    auto job = world.schedule_with_fixed_delay(10ms, 10ms, to, tick_tock{1});
    to.tell(note{"first"});
    world.wait(10ms);
    to.tell(note{"second"});
    world.run();
    for (int i = 0; i < 3; ++i) {
      world.wait(10ms);
      world.run();
    }
    EXPECT_EQ(book.text, rule == overflow_strategy::reject ? "first;1;1;1;" : "second;1;1;1;")
        << "rule " << static_cast<int>(rule);
    EXPECT_TRUE(job->cancel());
  }
}

// spec: S3
TEST_F(a_timer_message, that_repeats_may_be_cancelled_by_its_own_handler) {
  cancellable job;
  int seen = 0;
  const auto to = world.spawn("to", [&](tactor::context&, const held_note& h) {
    EXPECT_NE(h.held, nullptr);
    if (++seen == 3) {
      EXPECT_TRUE(job.cancel());
      EXPECT_EQ(*h.held, 5);  // still there
    }
  });
  const auto held = std::make_shared<int>(5);
  job = world.schedule_at_fixed_rate(10ms, 10ms, to, held_note{held}).value();
  for (int i = 0; i < 10; ++i) {
    world.wait(10ms);
    world.run();
  }
  EXPECT_EQ(seen, 3);
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_TRUE(job.is_cancelled());
}

// spec: M5 S4
TEST_F(a_timer_message, never_reaches_the_next_tenant_of_its_receivers_slot) {
  const auto first = spawn_writer();
  auto once = world.schedule_once(30ms, first, note{"for the first"});
  auto often = world.schedule_at_fixed_rate(30ms, 10ms, first, note{"for the first"});
  world.run();
  world.core().stop(first);
  world.run();
  const auto second = spawn_writer();
  world.run();
  ASSERT_EQ(second.slot(), first.slot());  // or the test shows nothing
  EXPECT_NE(second, first);
  for (int i = 0; i < 10; ++i) {
    world.wait(10ms);
    world.run();
  }
  EXPECT_EQ(book.text, "");
  EXPECT_EQ(all_dead(), 2u);
  EXPECT_TRUE(once->is_completed());
  EXPECT_EQ(world.timers().metrics().active_total, 0u);
  second.tell(note{"hello"});
  world.run();
  EXPECT_EQ(book.text, "hello;");
}

// spec: S1c
TEST_F(a_timer_message, that_is_refused_at_once_leaves_nothing_behind) {
  const auto to = spawn_writer();
  const auto held = std::make_shared<int>(1);
  EXPECT_EQ(world.schedule_once(0ms, to, held_note{held}).error(), scheduler_error::invalid_delay);
  EXPECT_EQ(world.schedule_at_fixed_rate(0ms, -1ms, to, held_note{held}).error(),
            scheduler_error::invalid_delay);
  EXPECT_EQ(world.schedule_with_fixed_delay(0ms, 0ms, to, held_note{held}).error(),
            scheduler_error::invalid_delay);
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(world.timers().metrics().active_total, 0u);
}

struct heard {
  actor_ref<> from;
  std::uint64_t runs = 0;
};
/// Schedules from inside.
class clockwork : public actor<tick_tock> {
public:
  explicit clockwork(const actor_ref<heard>& to) : to_(to) {}
  void pre_start(context& ctx) {
    EXPECT_TRUE(ctx.schedule_once(10ms, ctx.self(), tick_tock{1}).has_value());
    every_ = ctx.schedule_at_fixed_rate(50ms, 50ms, ctx.self(), tick_tock{2}).value();
    EXPECT_TRUE(ctx.schedule_with_fixed_delay(1h, 1h, ctx.self(), tick_tock{3}).has_value());
  }
  void receive(context& ctx, const tick_tock& t) {
    EXPECT_EQ(ctx.sender(),
              ctx.self());  // a timer sends in the name of the actor that scheduled it
    to_.tell(heard{.from = ctx.sender(), .runs = ctx.batch().runs});
    if (t.number != 2) return;
    const bool last = ++seen_ == 2;
    EXPECT_EQ(last && every_.cancel(), last);
  }

private:
  actor_ref<heard> to_;
  cancellable every_;
  int seen_ = 0;
};

// spec: S1a K1
TEST(context_timers, are_scheduled_from_inside_an_actor_in_its_name) {
  simulation world{seed{1}};
  auto probe = world.spawn_probe<heard>("probe");
  const auto clock = world.spawn<clockwork>("clock", probe.ref());
  for (const duration at : {duration{10ms}, duration{50ms}, duration{100ms}}) {
    EXPECT_EQ(probe.expect<heard>().from, clock);
    EXPECT_EQ(world.core().now_ns(), static_cast<std::uint64_t>(at.nanoseconds()));
  }
  probe.expect_no_message(10s);
  EXPECT_EQ(world.timers().metrics().active_total, 1u);
}

/// Forwards who sent it a tick, and schedules ticks to another actor in the name of a third.
class in_others_name : public actor<tick_tock> {
public:
  in_others_name(const actor_ref<heard>& to, const actor_ref<>& as) : to_(to), as_(as) {}
  void pre_start(context& ctx) {
    EXPECT_TRUE(ctx.schedule_once(10ms, ctx.self(), tick_tock{1}, {.sender = as_}).has_value());
    EXPECT_TRUE(ctx.schedule_at_fixed_rate(20ms, 1h, ctx.self(), tick_tock{2}, {.sender = as_})
                    .has_value());
    EXPECT_TRUE(
        ctx.schedule_with_fixed_delay(30ms, 1h, ctx.self(), tick_tock{3}, {.sender = actor_ref<>{}})
            .has_value());
  }
  void receive(context& ctx, const tick_tock& /*t*/) { to_.tell(heard{.from = ctx.sender()}); }

private:
  actor_ref<heard> to_;
  actor_ref<> as_;
};

// spec: S1b
TEST(context_timers, have_the_sender_that_the_options_name_in_each_form_inside_and_outside) {
  simulation world{seed{1}};
  auto probe = world.spawn_probe<heard>("probe");
  const auto desk = world.spawn("desk", [](context&, const tick_tock&) {});
  const auto clock = world.spawn<in_others_name>("clock", probe.ref(), desk);
  EXPECT_EQ(probe.expect<heard>().from, desk) << "once";
  EXPECT_EQ(probe.expect<heard>().from, desk) << "at a fixed rate";
  EXPECT_FALSE(probe.expect<heard>().from) << "nobody, with a fixed delay";

  ASSERT_TRUE(world.schedule_once(10ms, clock, tick_tock{1}, {.sender = desk}).has_value());
  EXPECT_EQ(probe.expect<heard>().from, desk);
  ASSERT_TRUE(
      world.schedule_at_fixed_rate(10ms, 1h, clock, tick_tock{1}, {.sender = clock}).has_value());
  EXPECT_EQ(probe.expect<heard>().from, clock);
  ASSERT_TRUE(
      world.schedule_with_fixed_delay(10ms, 1h, clock, tick_tock{1}, {.sender = desk}).has_value());
  EXPECT_EQ(probe.expect<heard>().from, desk);
  ASSERT_TRUE(world.schedule_once(10ms, clock, tick_tock{1}).has_value());
  EXPECT_FALSE(probe.expect<heard>().from) << "scheduled from outside of actors";
}

// spec: S12
TEST(context_timers, of_a_system_that_ends_are_cancelled_and_their_messages_destroyed) {
  const auto held = std::make_shared<int>(1);
  cancellable job;
  {
    simulation world{seed{1}};
    auto probe = world.spawn_probe<held_note>("probe");
    job = world.schedule_once(1h, probe.ref(), held_note{held}).value();
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_TRUE(job.is_cancelled());
  EXPECT_FALSE(job.cancel());
}

struct tick_of {
  int instance = 0;
};
struct break_down {};

/// Records what happened to the timers of an actor's instances.
struct timer_trace {
  int instances = 0;
  std::vector<cancellable> old;          // those of the last instance
  std::vector<int> ticks;                // of which instance
  std::vector<bool> cancelled_in_hook;   // as `pre_restart` saw them
  std::vector<cancellable> of_the_hook;  // scheduled by `pre_restart`
  actor_ref<tick_of> other;
  bool fails_to_start = false;
};

/// Schedules one timer of each kind to itself, and keeps no handle; and one to another actor.
class ticking : public actor<tick_of, break_down> {
public:
  explicit ticking(timer_trace* const& to) : to_(to), number_(++to->instances) {}
  std::expected<void, failure> pre_start(context& ctx) {
    to_->old.clear();
    const tick_of mine{number_};
    keep(ctx.schedule_once(15ms, ctx.self(), mine));
    keep(ctx.schedule_at_fixed_rate(20ms, 20ms, ctx.self(), mine));
    keep(ctx.schedule_with_fixed_delay(20ms, 20ms, ctx.self(), mine));
    EXPECT_TRUE(ctx.schedule_once(30ms, to_->other, mine).has_value());
    if (std::exchange(to_->fails_to_start, false))
      return std::unexpected{failure{"broken from the start"}};
    return {};
  }
  void pre_restart(context& ctx, const failure& /*why*/) {
    for (const cancellable& each : to_->old)
      to_->cancelled_in_hook.push_back(each.is_cancelled());
    to_->of_the_hook.push_back(
        ctx.schedule_once(5ms, ctx.self(), tick_of{number_}).value_or(cancellable{}));
  }
  void receive(context& /*ctx*/, const tick_of& t) { to_->ticks.push_back(t.instance); }
  std::expected<void, failure> receive(context& /*ctx*/, break_down) {
    return std::unexpected{failure{"broken"}};
  }

private:
  void keep(std::expected<cancellable, scheduler_error> made) {
    ASSERT_TRUE(made.has_value());
    to_->old.push_back(*std::move(made));
  }
  timer_trace* to_;
  int number_;
};

class own_timers : public ::testing::Test {
protected:
  own_timers() {
    to.other =
        world.spawn("other", [this](context&, const tick_of& t) { others.push_back(t.instance); });
  }
  ticking::ref spawn(const supervision& how) {
    const auto made = world.spawn<ticking>({.name = "who", .on_failure = how}, &to);
    (void)world.run_to_idle();
    return made;
  }
  [[nodiscard]] bool heard_of(int instance) const {
    return std::find(to.ticks.begin(), to.ticks.end(), instance) != to.ticks.end();
  }

  timer_trace to;
  std::vector<int> others;
  simulation world{seed{5}};
};

// spec: V2b
TEST_F(own_timers, are_cancelled_before_pre_restart_and_leave_no_message) {
  const auto who = spawn(restart{});
  (void)world.schedule_once(50ms, who, tick_of{77});
  who.tell(break_down{});
  world.run_for(100ms);
  EXPECT_EQ(to.cancelled_in_hook, (std::vector{true, true, true}));
  EXPECT_FALSE(heard_of(1));
  EXPECT_TRUE(heard_of(2));
  EXPECT_TRUE(heard_of(77)) << "a timer that the system scheduled goes on";
  EXPECT_EQ(others, (std::vector{1, 2})) << "so do those to other actors";
  ASSERT_EQ(to.of_the_hook.size(), 1u);
  EXPECT_TRUE(to.of_the_hook[0].is_cancelled()) << "it was the old instance that scheduled it";
}

// spec: V2b
TEST_F(own_timers, that_are_due_and_queued_are_cancelled_as_well) {
  const auto who = spawn(restart{});
  ASSERT_TRUE(world.suspend(who));
  world.run_for(25ms);
  EXPECT_TRUE(to.ticks.empty());
  const auto sibling = world.spawn<ticking>(
      {.name = "sibling", .on_failure = restart{.scope = failure_scope::all_for_one}}, &to);
  sibling.tell(break_down{});
  (void)world.run_to_idle();
  ASSERT_TRUE(world.resume(who));
  (void)world.run_to_idle();
  EXPECT_FALSE(heard_of(1));
}

// spec: V2b
TEST_F(own_timers, of_an_instance_that_failed_to_start_are_cancelled) {
  to.fails_to_start = true;
  (void)spawn(restart{.delay = {.min = 1s, .max = 1s}});
  ASSERT_EQ(to.old.size(), 3u);
  for (const cancellable& each : to.old)
    EXPECT_TRUE(each.is_cancelled());
  world.run_for(2s);
  EXPECT_FALSE(heard_of(1));
  EXPECT_TRUE(heard_of(2));
}

// spec: V2b
TEST_F(own_timers, go_on_if_the_actor_is_resumed) {
  const auto who = spawn(directive::resume);
  who.tell(break_down{});
  world.run_for(50ms);
  EXPECT_TRUE(heard_of(1));
  EXPECT_EQ(to.instances, 1);
}

// spec: V2b
TEST_F(own_timers, that_are_over_are_forgotten) {
  struct again {};
  struct count {
    using reply = std::size_t;
  };
  class busy : public actor<again, count> {
  public:
    void receive(context& ctx, again) { (void)ctx.schedule_once(10ms, ctx.self(), again{}); }
    std::size_t receive(context& ctx, count) {
      const own_timer* const last = ctx.self().slot()->parts->own_timers;
      std::size_t found = 1;
      for (const own_timer* each = last->next; each != last; each = each->next)
        ++found;
      return found;
    }
  };
  const auto who = world.spawn<busy>("busy");
  for (int i = 0; i < 100; ++i)
    who.tell(again{});
  world.run_for(2s);
  EXPECT_LE(world.ask(who, count{}, 1s).get().value_or(0), 300u);
}

// Callables that an actor schedules by its context.

/// Counts what was called, and keeps the handles.
struct call_trace {
  int once = 0;
  int at_rate = 0;
  int with_delay = 0;
  int cancelled = 0;
  std::vector<cancellable> jobs;

  [[nodiscard]] int calls() const { return once + at_rate + with_delay; }
};

struct arm {};

/// Schedules a callable in each form, and one of the system's.
class caller : public actor<arm, break_down> {
public:
  explicit caller(call_trace* const& to) : to_(to) {}
  void receive(context& ctx, arm) {
    keep(ctx.schedule_once(10ms, [to = to_] { ++to->once; }));
    keep(ctx.schedule_at_fixed_rate(
        10ms, 10ms,
        [to = to_](execution_batch batch) { to->at_rate += static_cast<int>(batch.runs); },
        {.on_cancelled = [to = to_] { ++to->cancelled; }}));
    keep(ctx.schedule_with_fixed_delay(10ms, 10ms, [to = to_] { ++to->with_delay; }));
    keep(ctx.timers().schedule_once(1h, [] {}));
  }
  std::expected<void, failure> receive(context&, break_down) {
    return std::unexpected{failure{"broken"}};
  }

private:
  void keep(std::expected<cancellable, scheduler_error> made) {
    ASSERT_TRUE(made.has_value());
    to_->jobs.push_back(*std::move(made));
  }
  call_trace* to_;
};

// spec: S1a
TEST(callables_of_an_actor, are_scheduled_by_its_context_in_each_form) {
  call_trace to;
  simulation world{seed{1}};
  const auto who = world.spawn<caller>("who", &to);
  who.tell(arm{});
  world.run_for(35ms);
  EXPECT_EQ(to.once, 1);
  EXPECT_EQ(to.at_rate, 3);
  EXPECT_EQ(to.with_delay, 3);
  EXPECT_EQ(to.cancelled, 0);
}

// spec: S1a S3
TEST(callables_of_an_actor, end_with_its_instance_and_those_of_the_scheduler_do_not) {
  for (const bool restarts : {true, false}) {
    call_trace to;
    simulation world{seed{1}};
    const auto who = world.spawn<caller>({.name = "who", .on_failure = restart{}}, &to);
    who.tell(arm{});
    world.run_for(15ms);
    ASSERT_EQ(to.calls(), 3);
    if (restarts) {
      who.tell(break_down{});
    } else {
      world.stop(who);
    }
    world.run_for(100ms);
    EXPECT_EQ(to.calls(), 3);
    EXPECT_EQ(to.cancelled, 1);
    EXPECT_TRUE(to.jobs[1].is_cancelled());
    EXPECT_TRUE(to.jobs[2].is_cancelled());
    EXPECT_FALSE(to.jobs[3].is_cancelled());
    EXPECT_EQ(world.timers().metrics().active_total, 1u);
  }
}

// spec: S1a
TEST(callables_of_an_actor, that_waited_for_a_drain_are_cancelled_at_its_end) {
  call_trace to;
  simulation world{seed{1}};
  const auto who = world.spawn<caller>("who", &to);
  who.tell(arm{});
  world.drain(who);
  world.run_for(100ms);
  EXPECT_EQ(to.calls(), 0);
  EXPECT_EQ(to.cancelled, 1);
  EXPECT_EQ(world.timers().metrics().active_total, 1u);
}

// spec: V2b
TEST_F(own_timers, of_an_actor_that_stops_are_cancelled_and_no_dead_letters) {
  const auto who = spawn(restart{});
  const std::size_t live = world.timers().metrics().active_total;
  world.stop(who);
  (void)world.run_to_idle();
  for (const cancellable& each : to.old)
    EXPECT_TRUE(each.is_cancelled());
  EXPECT_EQ(world.timers().metrics().active_total, live - to.old.size());
  world.run_for(100ms);
  EXPECT_EQ(world.metrics().all_dead_letters(), 0u);
  EXPECT_EQ(others, std::vector{1}) << "a timer to another actor goes on";
}

TEST(callables_of_a_system, are_scheduled_like_its_messages) {
  simulation world{seed{1}};
  int calls = 0;
  ASSERT_TRUE(world.schedule_once(10ms, [&] { ++calls; }).has_value());
  ASSERT_TRUE(world.schedule_at_fixed_rate(10ms, 10ms, [&] { ++calls; }).has_value());
  ASSERT_TRUE(world.schedule_with_fixed_delay(10ms, 10ms, [&] { ++calls; }).has_value());
  world.run_for(20ms);
  EXPECT_EQ(calls, 5);
}

}  // namespace
}  // namespace tactor
