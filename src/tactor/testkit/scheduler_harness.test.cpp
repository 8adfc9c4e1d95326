// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/scheduler_harness.hpp"

#include "tactor/testkit/queue_dispatcher.hpp"
#include "tactor/testkit/queue_mailbox.hpp"
#include "tactor/testkit/scheduler_checks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tactor::testkit {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using kind = scheduler_event_kind;

using harness = scheduler_harness<8, 8>;

// spec: X4
TEST(scheduler_harness, reports_which_jobs_fired_last_in_order) {
  harness w;
  EXPECT_EQ(w.last_fire_batch().size(), 0u);
  const auto later = w.timers().schedule_once(30ms, [] {});
  const auto first = w.timers().schedule_once(20ms, [] {});
  const auto second = w.timers().schedule_once(20ms, [] {});

  w.clock().advance(20ms);
  ASSERT_EQ(w.last_fire_batch().size(), 2u);
  EXPECT_EQ(w.last_fire_batch()[0], first->id());
  EXPECT_EQ(w.last_fire_batch()[1], second->id());
  w.clock().advance(1s);
  ASSERT_EQ(w.last_fire_batch().size(), 1u);
  EXPECT_EQ(w.last_fire_batch()[0], later->id());
}

// spec: X4
TEST(scheduler_harness, takes_callables_of_any_size_and_keeps_nothing_of_them) {
  void* const block = heap_blocks().allocate(8, 8);
  if (block == nullptr) return;  // a target without heap
  heap_blocks().release(block, 8, 8);
  harness w;
  std::array<std::uint64_t, 100> numbers{};
  numbers.back() = 7;
  std::uint64_t sum = 0;
  const auto add = [numbers, &sum] { sum += numbers.back(); };
  {
    const auto once = w.timers().schedule_once(20ms, add);
    auto often = w.timers().schedule_at_fixed_rate(10ms, 10ms, add);
    ASSERT_TRUE(once.has_value() && often.has_value());
    w.clock().advance(20ms);
    EXPECT_EQ(sum, 3 * 7u);
    EXPECT_TRUE(often->cancel());
  }
  w.clock().advance(10ms);
  EXPECT_TRUE(w.check_nothing_left());
}

// spec: K1 S3
TEST(scheduler_harness, runs_the_hook_of_a_cancelled_job_although_nothing_is_due) {
  harness w;
  std::uint64_t hook_ran_at_ns = 0;
  auto timer = w.timers().schedule_once(
      1s, [] {}, {.on_cancelled = [&] { hook_ran_at_ns = w.clock().now().ticks; }});
  w.clock().advance(20ms);
  EXPECT_TRUE(timer->cancel());

  w.clock().advance(10ms);

  EXPECT_EQ(hook_ran_at_ns, 20'000'000u) << "it was ready then";
  EXPECT_EQ(w.clock().now().ticks, 30'000'000u);
}

// spec: X4
TEST(scheduler_harness, cancels_some_job_chosen_by_a_seed) {
  harness w;
  EXPECT_EQ(w.inject_random_cancel(1), 0u);
  std::array<cancellable, 4> timers;
  for (auto& each : timers)
    each = *w.timers().schedule_once(20ms, [] {});

  const std::uint64_t chosen = w.inject_random_cancel(6);
  std::size_t cancelled = 0;
  for (const auto& each : timers) {
    if (!each.is_cancelled()) continue;
    ++cancelled;
    EXPECT_EQ(each.id(), chosen);
  }
  EXPECT_EQ(cancelled, 1u);
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    EXPECT_NE(w.inject_random_cancel(seed), 0u);
  EXPECT_EQ(w.inject_random_cancel(9), 0u);
  EXPECT_TRUE(w.check_invariants());
}

// spec: X4
TEST(scheduler_harness, finds_its_scheduler_consistent_at_every_step_of_a_random_history) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    harness w;
    std::uint32_t random = seed;
    const auto next = [&random] { return (random = random * 1664525u + 1013904223u) >> 16; };
    for (int step = 0; step < 200; ++step) {
      const std::uint32_t choice = next() % 5;
      const auto delay = (1 + next() % 20) * 10ms;
      if (choice < 2) (void)w.timers().schedule_once(delay, [] {});
      if (choice == 2) (void)w.timers().schedule_at_fixed_rate(delay, delay, [] {});
      if (choice == 3) (void)w.inject_random_cancel(next());
      if (choice == 4) w.clock().advance((next() % 5) * 10ms);
      ASSERT_TRUE(w.check_invariants());
      ASSERT_TRUE(w.assert_monotonic());
    }
    w.timers().close();
    w.dispatcher().run_all();
    EXPECT_TRUE(w.check_nothing_left());
  }
}

// spec: X4
TEST(scheduler_harness, notices_what_is_left) {
  harness w;
  auto timer = w.timers().schedule_once(20ms, [] {});
  EXPECT_FALSE(w.check_nothing_left());
  EXPECT_TRUE(timer->cancel());
  w.clock().jump(0ms);
  EXPECT_FALSE(w.check_nothing_left());  // the handle
  timer = {};
  EXPECT_TRUE(w.check_nothing_left());
}

// spec: X4
TEST(scheduler_harness, notices_counters_that_do_not_add_up) {
  harness w;
  const auto timer = w.timers().schedule_once(20ms, [] {});
  EXPECT_TRUE(w.check_invariants());
  w.timers().store().totals.scheduled.fetch_add(1, port::relaxed);
  EXPECT_FALSE(w.check_invariants());
  w.timers().store().totals.scheduled.fetch_sub(1, port::relaxed);
  w.clock().jump(0ms);
  w.timers().store().far_coming[0].fetch_add(1, port::relaxed);
  EXPECT_FALSE(w.check_invariants());
  w.timers().store().far_coming[0].fetch_sub(1, port::relaxed);
  EXPECT_TRUE(w.check_invariants());
}

// spec: X4
TEST(fire_watch, notices_time_that_does_not_go_forward) {
  fire_watch<4> early;
  early.add({.kind = kind::fired, .job = 1, .at = tick{2}, .deadline = tick{3}});
  EXPECT_FALSE(early.judge());

  fire_watch<4> back;
  back.add({.kind = kind::scheduled, .at = tick{2}});
  EXPECT_TRUE(back.judge());
  back.add({.kind = kind::scheduled, .at = tick{1}});
  EXPECT_FALSE(back.judge());

  fire_watch<4> unordered;
  unordered.add({.kind = kind::fired, .job = 1, .at = tick{5}, .deadline = tick{4}});
  EXPECT_TRUE(unordered.judge());
  unordered.add({.kind = kind::fired, .job = 2, .at = tick{5}, .deadline = tick{3}});
  EXPECT_FALSE(unordered.judge());

  fire_watch<4> lossy;
  lossy.add({.kind = kind::diagnostics_dropped, .value = 1});
  EXPECT_FALSE(lossy.judge());
}

TEST(queue_dispatcher, runs_one_what_waits_or_everything) {
  harness w;
  w.hold_jobs();
  int runs = 0;
  const auto rate = w.timers().schedule_at_fixed_rate(10ms, 10ms, [&] { ++runs; },
                                                      {.missed_runs = missed::burst});
  const auto once = w.timers().schedule_once(10ms, [&] { ++runs; });
  w.clock().jump(50ms);
  EXPECT_EQ(w.dispatcher().size(), 2u);

  EXPECT_TRUE(w.dispatcher().run_one());
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(w.dispatcher().size(), 2u);  // the burst goes on
  EXPECT_EQ(w.dispatcher().run_waiting(), 2u);
  EXPECT_EQ(runs, 3);
  w.dispatcher().run_all();
  EXPECT_EQ(runs, 6);
  EXPECT_TRUE(w.dispatcher().idle());
  EXPECT_FALSE(w.dispatcher().run_one());
  EXPECT_TRUE(rate.has_value() && once.has_value());
}

TEST(queue_mailbox, refuses_what_does_not_fit_and_everything_once_closed) {
  harness w;
  queue_mailbox<1> mailbox;
  (void)w.timers().schedule_once(10ms, mailbox, 1);
  (void)w.timers().schedule_once(10ms, mailbox, 2);
  w.clock().advance(10ms);
  EXPECT_EQ(mailbox.size(), 1u);
  EXPECT_EQ(mailbox.dead_letters(), 1u);
  mailbox.close();
  EXPECT_EQ(mailbox.dead_letters(), 2u);
  EXPECT_EQ(mailbox.take(), nullptr);
  EXPECT_TRUE(w.check_nothing_left());
}

}  // namespace
}  // namespace tactor::testkit
