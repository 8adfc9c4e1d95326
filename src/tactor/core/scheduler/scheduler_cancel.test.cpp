// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/scheduler/report/diagnostics.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/port/port.hpp"
#include "tactor/testkit/queue_dispatcher.hpp"
#include "tactor/testkit/scheduler_harness.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <utility>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

using world = testkit::scheduler_harness<8, 12>;

// A callable that only counts its live instances.
struct counted {
  explicit counted(int& count) : live(&count) { ++*live; }
  counted(counted&& other) noexcept : live(other.live) { ++*live; }
  counted(const counted& other) noexcept : live(other.live) { ++*live; }
  counted& operator=(const counted&) = delete;
  counted& operator=(counted&&) = delete;
  ~counted() { --*live; }
  void operator()() const noexcept {}

  int* live;
};

// spec: S3
// case: SC-01
TEST(scheduler_cancel, a_cancelled_one_shot_never_runs_and_stays_cancelled) {
  world w;
  int runs = 0;
  auto timer = w.timers().schedule_once(100ms, [&] { ++runs; });
  ASSERT_TRUE(timer.has_value());
  EXPECT_EQ(timer->state(), timer_state::pending);

  EXPECT_TRUE(timer->cancel());
  EXPECT_FALSE(timer->cancel());
  w.clock().advance(1s);

  EXPECT_EQ(runs, 0);
  EXPECT_TRUE(timer->is_cancelled());
  EXPECT_FALSE(timer->is_completed());
  EXPECT_FALSE(timer->cancel());
  EXPECT_EQ(w.timers().metrics().cancelled_total, 1u);
  EXPECT_TRUE(w.check_invariants());
}

// spec: S3
// case: SC-02 SC-12
TEST(scheduler_cancel, a_one_shot_that_ran_is_completed_and_cannot_be_cancelled) {
  world w;
  auto timer = w.timers().schedule_once(20ms, [] {});
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(20ms);
  EXPECT_EQ(w.timers().metrics().active_total, 0u);
  EXPECT_FALSE(timer->cancel());
  EXPECT_FALSE(timer->is_cancelled());
  EXPECT_TRUE(timer->is_completed());
  EXPECT_EQ(w.timers().metrics().active_total, 0u);
  EXPECT_EQ(w.timers().metrics().cancelled_total, 0u);
  EXPECT_TRUE(w.check_invariants());
}

// spec: S3 S4 S13
TEST(scheduler_cancel, a_one_shot_can_be_cancelled_in_every_state_until_it_executes) {
  world w;
  w.hold_jobs();
  int runs = 0;
  const auto run = [&] { ++runs; };
  auto pending = w.timers().schedule_once(20ms, run);
  ASSERT_TRUE(pending.has_value());
  EXPECT_EQ(pending->state(), timer_state::pending);
  EXPECT_TRUE(pending->cancel());

  auto scheduled = w.timers().schedule_once(20ms, run);
  (void)w.timers().poll();
  EXPECT_EQ(scheduled->state(), timer_state::scheduled);
  EXPECT_TRUE(scheduled->cancel());

  auto far = w.timers().schedule_once(2s, run);
  (void)w.timers().poll();
  EXPECT_TRUE(far->cancel());

  auto queued = w.timers().schedule_once(20ms, run);
  w.clock().advance(20ms);
  EXPECT_EQ(w.dispatcher().size(), 1u);
  EXPECT_EQ(w.timers().metrics().dropped_total, 0u);
  EXPECT_TRUE(queued->cancel());
  EXPECT_EQ(w.timers().metrics().dropped_total, 1u);
  EXPECT_TRUE(w.check_invariants());

  w.dispatcher().run_all();
  EXPECT_EQ(runs, 0);
  EXPECT_TRUE(pending->is_cancelled() && scheduled->is_cancelled() && far->is_cancelled() &&
              queued->is_cancelled());
  EXPECT_EQ(w.timers().metrics().fired_total, 1u);
  EXPECT_EQ(w.timers().metrics().executed_total, 0u);
  EXPECT_EQ(w.timers().metrics().cancelled_total, 4u);
}

// spec: S3 S4
TEST(scheduler_cancel, a_one_shot_cannot_cancel_itself_once_it_executes) {
  world w;
  struct shared {
    cancellable own;
    bool said = true;
    timer_state seen = timer_state::unused;
  } all;
  auto timer = w.timers().schedule_once(20ms, [&all] {
    all.seen = all.own.state();
    all.said = all.own.cancel();
  });
  ASSERT_TRUE(timer.has_value());
  all.own = *timer;

  w.clock().advance(20ms);
  EXPECT_FALSE(all.said);
  EXPECT_EQ(all.seen, timer_state::executing);
  EXPECT_TRUE(all.own.is_completed());
}

// spec: S3 S5
TEST(scheduler_cancel, a_periodic_job_can_cancel_itself_and_runs_no_more) {
  for (const bool with_delay : {false, true}) {
    world w;
    struct shared {
      cancellable own;
      int runs = 0;
      int cancelled = 0;
      int live = 0;
      int live_after_cancel = 0;
    } all;
    struct callable : counted {
      explicit callable(shared& of) : counted(of.live), all(&of) {}
      void operator()() const {
        if (++all->runs == 3) all->cancelled += all->own.cancel() ? 1 : 0;
        all->live_after_cancel = all->live;
      }
      shared* all;
    };
    auto timer = with_delay ? w.timers().schedule_with_fixed_delay(10ms, 10ms, callable{all})
                            : w.timers().schedule_at_fixed_rate(10ms, 10ms, callable{all});
    ASSERT_TRUE(timer.has_value());
    all.own = *timer;

    w.clock().advance(200ms);
    EXPECT_EQ(all.runs, 3);
    EXPECT_EQ(all.cancelled, 1);
    EXPECT_EQ(all.live_after_cancel, 1);  // it lives until its run is over
    EXPECT_EQ(all.live, 0);
    EXPECT_TRUE(timer->is_cancelled());
    EXPECT_EQ(w.timers().metrics().dropped_total, 0u);
    EXPECT_TRUE(w.check_invariants());
  }
}

// spec: S3
TEST(scheduler_cancel, a_handle_stays_cancelled_however_often_records_are_reused) {
  world w;
  auto cancelled = w.timers().schedule_once(20ms, [] {});
  auto ran = w.timers().schedule_once(20ms, [] {});
  ASSERT_TRUE(cancelled.has_value() && ran.has_value());
  const std::uint64_t id = cancelled->id();
  EXPECT_TRUE(cancelled->cancel());

  for (int round = 0; round < 1000; ++round) {
    auto other = w.timers().schedule_once(10ms, [] {});
    ASSERT_TRUE(other.has_value());
    EXPECT_NE(other->id(), id);
    const bool cancels = round % 2 == 0;
    EXPECT_EQ(cancels && other->cancel(), cancels);
    w.clock().advance(10ms);
  }
  EXPECT_TRUE(cancelled->is_cancelled());
  EXPECT_FALSE(cancelled->cancel());
  EXPECT_EQ(cancelled->id(), id);
  EXPECT_TRUE(ran->is_completed());
  EXPECT_FALSE(ran->is_cancelled());
}

// spec: S3
TEST(scheduler_cancel, no_two_jobs_share_an_id_even_when_a_record_is_reused) {
  world w;
  std::uint64_t last = 0;
  for (int round = 0; round < 100; ++round) {
    const auto timer = w.timers().schedule_once(10ms, [] {});
    ASSERT_TRUE(timer.has_value());
    EXPECT_NE(timer->id(), last);
    EXPECT_NE(timer->id(), 0u);
    last = timer->id();
    w.clock().advance(10ms);
  }
}

// spec: S11
TEST(scheduler_cancel, a_hook_that_fails_is_counted_and_reported) {
  world w;
  std::array<scheduler_event, 4> storage{};
  diagnostics_subscription warnings{w.timers().events(), storage,
                                    scheduler_event_kinds::warnings()};
  const auto hook = []() -> std::expected<void, int> { return std::unexpected{7}; };
  auto timer = w.timers().schedule_once(20ms, [] {}, {.on_cancelled = hook});
  EXPECT_TRUE(timer->cancel());
  w.dispatcher().run_all();

  EXPECT_EQ(w.timers().metrics().handler_failures_total, 1u);
  const auto event = warnings.try_next();
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->kind, scheduler_event_kind::handler_failed);
  EXPECT_EQ(event->job, timer->id());
  EXPECT_EQ(event->value, 7u);
}

// spec: S3
// case: SC-06
TEST(scheduler_cancel, the_hook_runs_once_if_a_job_is_cancelled_and_never_if_it_completes) {
  world w;
  int hooks = 0;
  const auto hook = [&] { ++hooks; };
  auto waiting = w.timers().schedule_once(20ms, [] {}, {.on_cancelled = hook});
  EXPECT_TRUE(waiting->cancel());
  EXPECT_EQ(hooks, 0);  // not on the caller's stack
  w.dispatcher().run_all();
  EXPECT_EQ(hooks, 1);

  auto periodic = w.timers().schedule_at_fixed_rate(10ms, 10ms, [] {}, {.on_cancelled = hook});
  w.clock().advance(10ms);
  EXPECT_TRUE(periodic->cancel());
  w.clock().advance(1s);
  w.dispatcher().run_all();
  EXPECT_EQ(hooks, 2);

  const auto completing = w.timers().schedule_once(20ms, [] {}, {.on_cancelled = hook});
  w.clock().advance(1s);
  EXPECT_TRUE(completing->is_completed());
  EXPECT_EQ(hooks, 2);
  EXPECT_FALSE(waiting->cancel() || periodic->cancel());
  w.dispatcher().run_all();
  EXPECT_EQ(hooks, 2);
  EXPECT_TRUE(w.check_invariants());
}

// spec: S3 S4
TEST(scheduler_cancel, the_hook_runs_once_on_the_jobs_own_dispatcher_in_every_state) {
  world w;
  w.hold_jobs();
  testkit::queue_dispatcher other;
  int hooks = 0;
  int runs = 0;
  const auto options = [&] {
    return once_options{.dispatcher = &other, .on_cancelled = [&] { ++hooks; }};
  };
  auto pending = w.timers().schedule_once(20ms, [&] { ++runs; }, options());
  EXPECT_TRUE(pending->cancel());
  EXPECT_EQ(other.size(), 1u);

  auto queued = w.timers().schedule_once(20ms, [&] { ++runs; }, options());
  w.clock().advance(20ms);
  EXPECT_EQ(other.size(), 2u);
  EXPECT_TRUE(queued->cancel());
  EXPECT_EQ(other.size(), 2u);  // it is already there

  other.run_all();
  EXPECT_EQ(hooks, 2);
  EXPECT_EQ(runs, 0);
  EXPECT_TRUE(w.dispatcher().idle());
  EXPECT_TRUE(w.check_invariants());
}

// spec: S3 S11 S12
TEST(scheduler_cancel, the_hook_runs_once_when_the_runtime_cancels) {
  world w;
  int hooks = 0;
  const auto hook = [&] { ++hooks; };
  const auto failing = w.timers().schedule_once(
      20ms, []() -> std::expected<void, int> { return std::unexpected{1}; },
      {.on_cancelled = hook});
  w.clock().advance(20ms);
  EXPECT_EQ(hooks, 1);
  const auto late = w.timers().schedule_at_fixed_rate(10ms, 10ms, [] {},
                                                      {.backlog_limit = 1, .on_cancelled = hook});
  w.clock().jump(50ms);
  EXPECT_EQ(hooks, 2);
  const auto closed = w.timers().schedule_once(20ms, [] {}, {.on_cancelled = hook});
  w.timers().close();
  w.dispatcher().run_all();
  EXPECT_EQ(hooks, 3);
  EXPECT_TRUE(failing->is_cancelled() && late->is_cancelled() && closed->is_cancelled());
}

// spec: S3
TEST(scheduler_cancel, the_hook_of_a_job_cancelled_in_its_own_run_comes_after_the_run) {
  world w;
  struct shared {
    cancellable own;
    int hooks = 0;
    int hooks_in_run = -1;
  } all;
  auto timer = w.timers().schedule_with_fixed_delay(10ms, 10ms,
                                                    [&all] {
                                                      all.own.cancel();
                                                      all.hooks_in_run = all.hooks;
                                                    },
                                                    {.on_cancelled = [&all] { ++all.hooks; }});
  ASSERT_TRUE(timer.has_value());
  all.own = *timer;

  w.clock().advance(100ms);
  EXPECT_EQ(all.hooks_in_run, 0);
  EXPECT_EQ(all.hooks, 1);
}

// spec: S3
// case: SC-07
TEST(scheduler_cancel, a_periodic_job_is_cancelled_before_or_after_its_first_run) {
  world w;
  int before = 0;
  int after = 0;
  auto first = w.timers().schedule_at_fixed_rate(30ms, 10ms, [&] { ++before; });
  auto second = w.timers().schedule_at_fixed_rate(10ms, 20ms, [&] { ++after; });

  w.clock().advance(20ms);
  EXPECT_TRUE(first->cancel());
  EXPECT_TRUE(second->cancel());
  w.clock().advance(1s);
  EXPECT_EQ(before, 0);
  EXPECT_EQ(after, 1);
  EXPECT_EQ(w.timers().metrics().periodic_total, 0u);
  EXPECT_TRUE(w.check_invariants());
}

// spec: S3 S4
// case: SC-09
TEST(scheduler_cancel, timers_of_one_tick_can_cancel_each_other_and_schedule_again) {
  world w;
  struct shared {
    world* w = nullptr;
    std::array<cancellable, 7> timers;
    std::array<int, 7> runs{};
    std::uint64_t third_again_at = 0;
  } all;
  all.w = &w;
  const auto run = [&all](std::size_t which) {
    return [&all, which] {
      ++all.runs[which];
      if (which == 1) {
        EXPECT_TRUE(all.timers[2].cancel());
        EXPECT_TRUE(all.timers[4].cancel());
      } else if (which == 3 && all.runs[3] == 1) {
        EXPECT_TRUE(all.timers[5].cancel());
        EXPECT_TRUE(all.timers[6].cancel());
        auto again = all.w->timers().schedule_once(20ms, [&all] {
          ++all.runs[3];
          all.third_again_at = all.w->clock().now().ticks;
        });
        EXPECT_TRUE(again.has_value());
      }
    };
  };
  for (std::size_t each = 1; each <= 6; ++each) {
    auto timer = w.timers().schedule_once(each == 6 ? 40ms : 20ms, run(each));
    ASSERT_TRUE(timer.has_value());
    all.timers[each] = *std::move(timer);
  }

  w.clock().advance(1s);
  EXPECT_EQ(all.runs[1], 1);
  EXPECT_EQ(all.runs[2], 0);
  EXPECT_EQ(all.runs[3], 2);
  EXPECT_EQ(all.runs[4], 0);
  EXPECT_EQ(all.runs[5], 0);
  EXPECT_EQ(all.runs[6], 0);
  EXPECT_EQ(all.third_again_at, 40'000'000u);
  EXPECT_TRUE(w.check_invariants());
}

// spec: T8
// case: SC-11
TEST(scheduler_cancel, later_timers_fire_on_time_when_the_earliest_is_cancelled) {
  world w;
  std::uint64_t fired_at = 0;
  auto earliest = w.timers().schedule_once(20ms, [] {});
  const auto later = w.timers().schedule_once(50ms, [&] { fired_at = w.clock().now().ticks; });
  EXPECT_EQ(w.timers().poll().next_deadline, tick{2});

  EXPECT_TRUE(earliest->cancel());
  EXPECT_EQ(w.timers().next_deadline(), tick{5});
  w.clock().advance(1s);
  EXPECT_EQ(fired_at, 50'000'000u);
  EXPECT_TRUE(later->is_completed());
}

// spec: S3
// case: SC-13
TEST(scheduler_cancel, all_copies_of_a_handle_see_the_cancel_and_dropping_one_does_not_cancel) {
  world w;
  int runs = 0;
  {
    auto timer = w.timers().schedule_once(20ms, [&] { ++runs; });
    ASSERT_TRUE(timer.has_value());
    cancellable copy = *timer;
    cancellable moved = std::move(copy);
    cancellable assigned;
    assigned = moved;
    EXPECT_TRUE(assigned == moved);
    EXPECT_TRUE(assigned.cancel());
    EXPECT_TRUE(timer->is_cancelled() && moved.is_cancelled() && assigned.is_cancelled());
    EXPECT_FALSE(timer->cancel() || moved.cancel());
  }
  (void)w.timers().schedule_once(20ms, [&] { ++runs; });
  w.clock().advance(20ms);
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(w.check_nothing_left());
}

// spec: S3
// case: SC-13
TEST(scheduler_cancel, a_scoped_handle_cancels_on_destruction_unless_it_is_released) {
  world w;
  int runs = 0;
  cancellable seen;
  cancellable kept;
  {
    scoped_cancellable first{*w.timers().schedule_once(20ms, [&] { ++runs; })};
    scoped_cancellable second{*w.timers().schedule_once(20ms, [&] { ++runs; })};
    seen = first.get();
    kept = second.release();
    scoped_cancellable moved = std::move(first);
    EXPECT_FALSE(seen.is_cancelled());
    moved = scoped_cancellable{*w.timers().schedule_once(20ms, [&] { ++runs; })};
    EXPECT_TRUE(seen.is_cancelled());
  }
  EXPECT_FALSE(kept.is_cancelled());
  EXPECT_EQ(w.timers().metrics().cancelled_total, 2u);
  w.clock().advance(20ms);
  EXPECT_EQ(runs, 1);
}

// spec: S3
TEST(scheduler_cancel, a_scoped_handle_cancels_on_demand_once) {
  world w;
  scoped_cancellable timer{*w.timers().schedule_once(20ms, [] {})};
  EXPECT_TRUE(timer.cancel());
  EXPECT_FALSE(timer.cancel());
  EXPECT_TRUE(timer.get().is_cancelled());
}

// spec: S3
TEST(scheduler_cancel, an_empty_handle_answers_false_to_everything) {
  cancellable nothing;
  EXPECT_FALSE(nothing.cancel());
  EXPECT_FALSE(nothing.is_cancelled());
  EXPECT_FALSE(nothing.is_completed());
  EXPECT_EQ(nothing.id(), 0u);
}

// spec: S5
TEST(scheduler_cancel, a_cancel_destroys_the_callable_at_once_in_every_state) {
  world w;
  w.hold_jobs();
  int live = 0;
  auto pending = w.timers().schedule_once(20ms, counted{live});
  EXPECT_EQ(live, 1);
  EXPECT_TRUE(pending->cancel());
  EXPECT_EQ(live, 0);

  auto scheduled = w.timers().schedule_once(1h, counted{live});
  (void)w.timers().poll();
  EXPECT_TRUE(scheduled->cancel());
  EXPECT_EQ(live, 0);

  auto queued = w.timers().schedule_once(20ms, counted{live});
  w.clock().advance(20ms);
  EXPECT_EQ(live, 1);
  EXPECT_TRUE(queued->cancel());
  EXPECT_EQ(live, 0);
  w.dispatcher().run_all();

  const auto run = w.timers().schedule_once(20ms, counted{live});
  w.clock().advance(20ms);
  w.dispatcher().run_all();
  EXPECT_EQ(live, 0);
  EXPECT_TRUE(run->is_completed());
}

// spec: S5 S13
TEST(scheduler_cancel, a_cancelled_timer_frees_its_quota_at_once) {
  scheduler_config config;
  config.system_quota = 1;
  world w{config};
  for (int round = 0; round < 100; ++round) {
    auto timer = w.timers().schedule_once(1h, [] {});
    ASSERT_TRUE(timer.has_value());
    ASSERT_TRUE(timer->cancel());
  }
  EXPECT_EQ(w.timers().metrics().cancelled_total, 100u);
  EXPECT_TRUE(w.check_invariants());
}

// spec: S5
TEST(scheduler_cancel, many_cancels_request_one_poll_that_frees_their_records) {
  world w;
  const auto wake_word = [&] { return w.timers().store().wake_word.load(port::relaxed); };
  std::array<cancellable, 10> timers;
  for (auto& each : timers)
    each = *w.timers().schedule_once(1h, [] {});
  (void)w.timers().poll();
  const std::uint32_t before = wake_word();

  for (auto& each : timers)
    EXPECT_TRUE(each.cancel());
  EXPECT_EQ(wake_word(), before + 1);
  const poll_result first = w.timers().poll();
  EXPECT_TRUE(first.housekeeping);
  EXPECT_EQ(w.timers().wheel().size(), 0u);
  const poll_result second = w.timers().poll();
  EXPECT_FALSE(
      second.housekeeping);  // nothing was cancelled since: now it may sleep without a limit
  EXPECT_EQ(second.next_deadline, std::nullopt);

  timers = {};
  EXPECT_TRUE(w.check_nothing_left());
}

// spec: S5
TEST(scheduler_cancel, one_poll_frees_the_records_of_all_cancelled_timers) {
  constexpr std::size_t count = 10;
  world w;
  for (int round = 0; round < 3; ++round) {
    std::array<cancellable, count> timers;
    for (auto& each : timers)
      each = *w.timers().schedule_once(1h, [] {});
    EXPECT_EQ(w.timers().store().used_records().size(), count);  // the same ones each time
    (void)w.timers().poll();
    for (auto& each : timers)
      EXPECT_TRUE(std::exchange(each, {}).cancel());
    (void)w.timers().poll();
  }
  EXPECT_TRUE(w.check_nothing_left());
}

// spec: S4 S6
TEST(scheduler_cancel, a_fixed_rate_job_that_waits_in_the_dispatcher_is_cancelled_with_its_runs) {
  world w;
  w.hold_jobs();
  int runs = 0;
  int live = 0;
  struct callable : counted {
    callable(int& count, int& ran) : counted(count), runs(&ran) {}
    void operator()() const { ++*runs; }
    int* runs;
  };
  auto timer = w.timers().schedule_at_fixed_rate(10ms, 10ms, callable{live, runs});
  w.clock().advance(30ms);
  EXPECT_EQ(w.dispatcher().size(), 1u);

  EXPECT_TRUE(timer->cancel());
  EXPECT_EQ(live, 0);
  w.dispatcher().run_all();
  w.clock().advance(100ms);
  w.dispatcher().run_all();
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(w.timers().metrics().dropped_total, 1u);
  EXPECT_EQ(w.timers().metrics().periodic_total, 0u);
  timer = {};
  EXPECT_TRUE(w.check_nothing_left());
}

}  // namespace
}  // namespace tactor
