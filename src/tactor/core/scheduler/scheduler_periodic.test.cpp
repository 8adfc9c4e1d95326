// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/job/periodic_runs.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/testkit/scheduler_harness.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

using world = testkit::scheduler_harness<8, 8>;
constexpr auto tick_length = 10ms;

// When each execution began, in ms, and how many runs it represented.
struct run_log {
  explicit run_log(world& of) : w(&of) {}

  auto note() {
    return [this](execution_batch batch) {
      if (count < runs.size()) {
        at_ms[count] = w->clock().now().ticks / 1'000'000;
        runs[count] = batch.runs;
      }
      ++count;
      mode = batch.mode;
    };
  }

  world* w;
  std::array<std::uint64_t, 16> at_ms{};
  std::array<std::uint64_t, 16> runs{};
  std::size_t count = 0;
  job_mode mode = job_mode::once;
};

// Counts the warnings of one kind that have not been read.
std::size_t count(diagnostics_subscription& from, scheduler_event_kind kind) {
  std::size_t found = 0;
  while (const auto event = from.try_next())
    found += event->kind == kind ? 1u : 0u;
  return found;
}

// A subscription to warnings about periodic jobs, with storage for eight.
struct warnings {
  explicit warnings(world& of)
      : subscription(of.timers().events(), storage,
                     scheduler_event_kind::burst_fire | scheduler_event_kind::backlog_exceeded |
                         scheduler_event_kind::handler_failed) {}
  std::array<scheduler_event, 8> storage{};
  diagnostics_subscription subscription;
};

// spec: S6
// case: SP-01
TEST(scheduler_periodic, a_fixed_rate_job_runs_on_its_grid) {
  world w;
  run_log log{w};
  const auto timer = w.timers().schedule_at_fixed_rate(50ms, 30ms, log.note());
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(40ms);
  EXPECT_EQ(log.count, 0u);
  w.clock().advance(100ms);
  ASSERT_EQ(log.count, 4u);
  for (std::size_t run = 0; run < 4; ++run) {
    EXPECT_EQ(log.at_ms[run], 50 + 30 * run);
    EXPECT_EQ(log.runs[run], 1u);
  }
  EXPECT_EQ(log.mode, job_mode::fixed_rate);
  EXPECT_EQ(w.timers().metrics().periodic_total, 1u);
  EXPECT_TRUE(w.check_invariants());
}

// spec: S6
TEST(scheduler_periodic, an_interval_that_is_no_multiple_of_the_tick_does_not_drift) {
  world w;
  run_log log{w};
  const auto timer = w.timers().schedule_at_fixed_rate(25ms, 25ms, log.note());
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(300ms);
  // t0 is the deadline of the first run, 30 ms; then each point of the grid, rounded up to its
  // tick.
  constexpr std::array<std::uint64_t, 11> expected{30,  60,  80,  110, 130, 160,
                                                   180, 210, 230, 260, 280};
  ASSERT_EQ(log.count, expected.size());
  for (std::size_t run = 0; run < expected.size(); ++run)
    EXPECT_EQ(log.at_ms[run], expected[run]);
  w.clock().advance(1000s - 300ms);
  EXPECT_EQ(log.count, 39'999u);  // 40 a second; the first is permanently 5 ms late
}

// spec: S6
TEST(scheduler_periodic, an_interval_shorter_than_a_tick_folds_what_falls_into_one_tick) {
  world w;
  run_log log{w};
  const auto timer = w.timers().schedule_at_fixed_rate(10ms, 4ms, log.note());
  ASSERT_TRUE(timer.has_value());
  w.clock().advance(30ms);  // 10, 14 18, 22 26 30

  ASSERT_EQ(log.count, 3u);
  EXPECT_EQ(log.runs[0], 1u);
  EXPECT_EQ(log.runs[1], 2u);
  EXPECT_EQ(log.runs[2], 3u);
}

// spec: S6
TEST(scheduler_periodic, a_slow_callable_does_not_stretch_the_grid) {
  world w;
  run_log log{w};
  auto note = log.note();
  const auto timer =
      w.timers().schedule_at_fixed_rate(20ms, 20ms, [&w, &note](execution_batch batch) {
        note(batch);
        if (batch.runs == 1) w.clock().jump(10ms);
      });
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(100ms);
  ASSERT_EQ(log.count, 5u);
  for (std::size_t run = 0; run < 5; ++run)
    EXPECT_EQ(log.at_ms[run], 20 * (run + 1));
}

// spec: S7
// case: SP-04
TEST(scheduler_periodic, a_fixed_delay_counts_from_the_end_of_a_slow_run) {
  scheduler_config config;
  config.timing.resolution = 5ms;
  world w{config};
  run_log log{w};
  auto note = log.note();
  const auto timer =
      w.timers().schedule_with_fixed_delay(125ms, 125ms, [&w, &note](execution_batch batch) {
        note(batch);
        w.clock().advance(100ms);
      });
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(125ms);
  w.clock().advance(900ms);
  ASSERT_GE(log.count, 4u);
  for (std::size_t run = 0; run < 4; ++run) {
    EXPECT_EQ(log.at_ms[run], 125 + 225 * run);
    EXPECT_EQ(log.runs[run], 1u);
  }
  EXPECT_EQ(log.mode, job_mode::fixed_delay);
}

// spec: S7
TEST(scheduler_periodic, a_fixed_delay_job_waits_while_its_run_is_queued) {
  world w;
  w.hold_jobs();
  run_log log{w};
  const auto timer = w.timers().schedule_with_fixed_delay(10ms, 20ms, log.note());
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(100ms);
  EXPECT_EQ(w.dispatcher().size(), 1u);
  w.dispatcher().run_all();
  EXPECT_EQ(w.timers().next_deadline(), tick{12});
  w.clock().advance(20ms);
  w.dispatcher().run_all();
  ASSERT_EQ(log.count, 2u);
  EXPECT_EQ(log.runs[0], 1u);
  EXPECT_EQ(log.runs[1], 1u);
}

// spec: S1c T5
// case: SP-05
TEST(scheduler_periodic, a_period_of_zero_or_less_is_refused) {
  world w;
  int runs = 0;
  const auto run = [&] { ++runs; };
  for (const duration period : {duration{0ms}, duration{-1ms}, duration::min()}) {
    const auto rate = w.timers().schedule_at_fixed_rate(10ms, period, run);
    const auto delay = w.timers().schedule_with_fixed_delay(10ms, period, run);
    ASSERT_FALSE(rate.has_value() || delay.has_value());
    EXPECT_EQ(rate.error(), scheduler_error::invalid_delay);
    EXPECT_EQ(delay.error(), scheduler_error::invalid_delay);
  }
  EXPECT_FALSE(w.timers().schedule_at_fixed_rate(-1ms, 10ms, run).has_value());
  EXPECT_FALSE(w.timers().schedule_with_fixed_delay(-1ms, 10ms, run).has_value());
  w.clock().advance(1s);
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(w.timers().metrics().scheduled_total, 0u);
  EXPECT_EQ(w.timers().metrics().refused_total, 8u);
}

// spec: T5
// case: SP-06
TEST(scheduler_periodic, the_longest_interval_is_taken_and_one_tick_more_refused) {
  world w;
  constexpr auto longest = 0x7FFF'FFFFll * tick_length;
  EXPECT_TRUE(w.timers().schedule_at_fixed_rate(10ms, longest, [] {}).has_value());
  EXPECT_TRUE(w.timers().schedule_with_fixed_delay(longest, longest, [] {}).has_value());
  EXPECT_FALSE(w.timers().schedule_at_fixed_rate(10ms, longest + 1ns, [] {}).has_value());
  EXPECT_FALSE(w.timers().schedule_at_fixed_rate(longest + tick_length, 10ms, [] {}).has_value());
  EXPECT_FALSE(
      w.timers().schedule_with_fixed_delay(10ms, longest + tick_length, [] {}).has_value());
  EXPECT_FALSE(w.timers().schedule_at_fixed_rate(10ms, duration::max(), [] {}).has_value());
}

// spec: S11
// case: SP-07
TEST(scheduler_periodic, a_job_whose_run_fails_is_cancelled_and_reported_once) {
  for (const bool with_delay : {false, true}) {
    world w;
    warnings heard{w};
    int runs = 0;
    const auto run = [&runs]() -> std::expected<void, int> {
      if (++runs == 3) return std::unexpected{-5};
      return {};
    };
    auto timer = with_delay ? w.timers().schedule_with_fixed_delay(10ms, 10ms, run)
                            : w.timers().schedule_at_fixed_rate(10ms, 10ms, run);
    ASSERT_TRUE(timer.has_value());

    w.clock().advance(100ms);
    EXPECT_EQ(runs, 3);
    EXPECT_TRUE(timer->is_cancelled());
    const auto event = heard.subscription.try_next();
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(event->kind, scheduler_event_kind::handler_failed);
    EXPECT_EQ(event->job, timer->id());
    EXPECT_EQ(static_cast<std::int32_t>(event->value), -5);
    EXPECT_FALSE(heard.subscription.try_next().has_value());
    EXPECT_EQ(w.timers().metrics().active_total, 0u);
    EXPECT_TRUE(w.timers().schedule_once(10ms, [] {}).has_value());
    timer = {};
    w.clock().advance(20ms);
    EXPECT_TRUE(w.check_nothing_left());
  }
}

#if defined(__cpp_exceptions)
// spec: S11
// case: SP-07
TEST(scheduler_periodic, a_job_whose_run_throws_is_cancelled) {
  world w;
  int runs = 0;
  const auto timer = w.timers().schedule_at_fixed_rate(10ms, 10ms, [&runs] {
    if (++runs == 3) throw 1;
  });
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(100ms);
  EXPECT_EQ(runs, 3);
  EXPECT_TRUE(timer->is_cancelled());
  EXPECT_EQ(w.timers().metrics().handler_failures_total, 1u);
}
#endif

// spec: S6
// case: SP-11
TEST(scheduler_periodic, missed_runs_fold_into_one_execution) {
  world w;
  run_log log{w};
  const auto timer = w.timers().schedule_at_fixed_rate(tick_length, tick_length, log.note());
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(tick_length);
  w.clock().jump(5 * tick_length);
  ASSERT_EQ(log.count, 2u);
  EXPECT_EQ(log.runs[0], 1u);
  EXPECT_EQ(log.runs[1], 5u);
  EXPECT_EQ((execution_batch{.runs = log.runs[1]}.missed()), 4u);
  w.clock().advance(tick_length);
  EXPECT_EQ(log.runs[2], 1u);
  EXPECT_EQ(w.timers().metrics().fired_total, 7u);
  EXPECT_EQ(w.timers().metrics().executed_total, 3u);
}

// spec: S6
// case: SP-12
TEST(scheduler_periodic, missed_runs_burst_one_by_one) {
  world w;
  warnings heard{w};
  run_log log{w};
  const auto timer = w.timers().schedule_at_fixed_rate(tick_length, tick_length, log.note(),
                                                       {.missed_runs = missed::burst});
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(tick_length);
  w.clock().jump(5 * tick_length);
  ASSERT_EQ(log.count, 6u);
  for (std::size_t run = 0; run < 6; ++run)
    EXPECT_EQ(log.runs[run], 1u);
  EXPECT_EQ(count(heard.subscription, scheduler_event_kind::burst_fire), 0u);

  w.clock().jump(12 * tick_length);
  EXPECT_EQ(log.count, 18u);
  EXPECT_EQ(count(heard.subscription, scheduler_event_kind::burst_fire), 1u);
  EXPECT_EQ(w.timers().metrics().executed_total, 18u);
}

// spec: S6
TEST(scheduler_periodic, a_burst_of_more_runs_than_the_word_of_a_board_counts_has_no_pause) {
  world w;
  std::uint64_t runs = 0;
  const auto timer = w.timers().schedule_at_fixed_rate(tick_length, tick_length, [&] { ++runs; },
                                                       {.missed_runs = missed::burst});
  ASSERT_TRUE(timer.has_value());
  w.clock().jump(600 * tick_length);
  EXPECT_EQ(runs, 600u);
  EXPECT_EQ(w.timers().metrics().executed_total, 600u);
  w.clock().advance(tick_length);
  EXPECT_EQ(runs, 601u);
  EXPECT_TRUE(w.check_invariants());
}

// spec: S6
TEST(scheduler_periodic, a_burst_is_reported_once_per_pause_and_above_the_threshold_only) {
  for (const missed policy : {missed::fold, missed::burst, missed::skip}) {
    scheduler_config config;
    config.burst_threshold = 3;
    world w{config};
    warnings heard{w};
    const auto timer =
        w.timers().schedule_at_fixed_rate(tick_length, tick_length, [] {}, {.missed_runs = policy});
    ASSERT_TRUE(timer.has_value());

    w.clock().jump(4 * tick_length);  // three missed: not more than the threshold
    EXPECT_FALSE(heard.subscription.try_next().has_value());
    for (int pause = 0; pause < 2; ++pause) {
      w.clock().jump(5 * tick_length);
      const auto event = heard.subscription.try_next();
      ASSERT_TRUE(event.has_value());
      EXPECT_EQ(event->kind, scheduler_event_kind::burst_fire);
      EXPECT_EQ(event->value, 4u);
      EXPECT_EQ(event->job, timer->id());
      EXPECT_FALSE(heard.subscription.try_next().has_value());
    }
  }
}

// spec: S6
TEST(scheduler_periodic, a_continuing_burst_is_reported_once) {
  scheduler_config config;
  config.burst_threshold = 3;
  world w{config};
  w.hold_jobs();
  warnings heard{w};
  const auto timer = w.timers().schedule_at_fixed_rate(tick_length, tick_length, [] {});
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(50 * tick_length);
  EXPECT_EQ(count(heard.subscription, scheduler_event_kind::burst_fire), 1u);
}

// spec: S6
// case: SP-13
TEST(scheduler_periodic, skipping_runs_once_for_a_gap_and_goes_back_to_the_grid) {
  world w;
  run_log log{w};
  const auto timer = w.timers().schedule_at_fixed_rate(300 * tick_length, 300 * tick_length,
                                                       log.note(), {.missed_runs = missed::skip});
  ASSERT_TRUE(timer.has_value());

  w.clock().jump(650 * tick_length);
  ASSERT_EQ(log.count, 1u);
  EXPECT_EQ(log.runs[0], 1u);
  w.clock().advance(249 * tick_length);
  EXPECT_EQ(log.count, 1u);
  w.clock().advance(tick_length);
  ASSERT_EQ(log.count, 2u);
  EXPECT_EQ(log.at_ms[1], 9000u);
}

// spec: S7
// case: SP-14
TEST(scheduler_periodic, a_fixed_delay_job_runs_once_for_a_gap_and_one_delay_later_again) {
  world w;
  run_log log{w};
  const auto timer =
      w.timers().schedule_with_fixed_delay(300 * tick_length, 300 * tick_length, log.note());
  ASSERT_TRUE(timer.has_value());

  w.clock().jump(650 * tick_length);
  ASSERT_EQ(log.count, 1u);
  w.clock().advance(299 * tick_length);
  EXPECT_EQ(log.count, 1u);
  w.clock().advance(tick_length);
  ASSERT_EQ(log.count, 2u);
  EXPECT_EQ(log.at_ms[1], 9500u);
}

// spec: S6 S13
// case: SP-15
TEST(scheduler_periodic, a_job_past_its_backlog_limit_is_cancelled_and_reported_once) {
  world w;
  warnings heard{w};
  int runs = 0;
  auto timer = w.timers().schedule_at_fixed_rate(tick_length, tick_length, [&] { ++runs; },
                                                 {.backlog_limit = 1});
  ASSERT_TRUE(timer.has_value());

  w.clock().jump(5 * tick_length);
  EXPECT_TRUE(timer->is_cancelled());
  EXPECT_EQ(runs, 0);
  const auto event = heard.subscription.try_next();
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->kind, scheduler_event_kind::backlog_exceeded);
  EXPECT_EQ(event->job, timer->id());
  EXPECT_EQ(event->value, 5u);
  w.clock().advance(10 * tick_length);
  EXPECT_FALSE(heard.subscription.try_next().has_value());
  EXPECT_EQ(w.timers().metrics().active_total, 0u);
  timer = {};
  EXPECT_TRUE(w.check_nothing_left());
}

// spec: S6
TEST(scheduler_periodic, runs_that_wait_in_the_dispatcher_count_towards_the_backlog) {
  world w;
  w.hold_jobs();
  int runs = 0;
  const auto timer = w.timers().schedule_at_fixed_rate(tick_length, tick_length, [&] { ++runs; },
                                                       {.backlog_limit = 3});
  ASSERT_TRUE(timer.has_value());
  w.clock().advance(3 * tick_length);
  EXPECT_FALSE(timer->is_cancelled());
  w.dispatcher().run_all();
  w.clock().advance(3 * tick_length);
  EXPECT_FALSE(timer->is_cancelled());
  w.clock().advance(tick_length);
  EXPECT_TRUE(timer->is_cancelled());
  w.dispatcher().run_all();
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(w.check_invariants());
}

// spec: S6
TEST(scheduler_periodic, an_execution_stands_for_all_missed_runs_however_many) {
  world w;
  run_log log{w};
  const auto timer = w.timers().schedule_at_fixed_rate(tick_length, 1us, log.note());
  ASSERT_TRUE(timer.has_value());
  w.clock().jump(tick_length + 20s);
  ASSERT_EQ(log.count, 1u);
  EXPECT_EQ(log.runs[0], 20'000'001u);
  w.clock().advance(tick_length);
  EXPECT_EQ(log.runs[1], 10'000u);
}

// spec: S6
TEST(scheduler_periodic, runs_add_up_in_a_waiting_execution_however_many) {
  world w;
  run_log log{w};
  w.hold_jobs();
  const auto timer = w.timers().schedule_at_fixed_rate(tick_length, 1us, log.note());
  ASSERT_TRUE(timer.has_value());
  for (int second = 0; second < 40; ++second)
    w.clock().jump(1s);
  w.dispatcher().run_all();
  ASSERT_EQ(log.count, 1u);
  EXPECT_EQ(log.runs[0], 40'000'000u - 10'000u + 1u);
  w.clock().jump(1s);
  w.dispatcher().run_all();
  EXPECT_EQ(log.runs[1], 1'000'000u);
  EXPECT_EQ(w.timers().metrics().fired_total, 41'000'000u - 10'000u + 1u);
}

// spec: S6
TEST(scheduler_periodic, a_backlog_limit_above_what_fits_a_word_holds) {
  world w;
  w.hold_jobs();
  const auto timer =
      w.timers().schedule_at_fixed_rate(tick_length, 1us, [] {}, {.backlog_limit = 20'000'000});
  ASSERT_TRUE(timer.has_value());
  for (int second = 0; second < 20; ++second)
    w.clock().jump(1s);
  EXPECT_FALSE(timer->is_cancelled());
  w.clock().jump(1s);
  EXPECT_TRUE(timer->is_cancelled());
}

// spec: S6 S7
TEST(scheduler_periodic, no_job_without_a_backlog_limit_is_cancelled_for_its_backlog) {
  world w;
  run_log rate{w};
  run_log delay{w};
  const auto at_rate = w.timers().schedule_at_fixed_rate(tick_length, 1us, rate.note());
  const auto with_delay = w.timers().schedule_with_fixed_delay(tick_length, 1us, delay.note());
  ASSERT_TRUE(at_rate.has_value() && with_delay.has_value());
  w.clock().jump(tick_length + 5000s);
  EXPECT_FALSE(at_rate->is_cancelled());
  EXPECT_FALSE(with_delay->is_cancelled());
  constexpr std::uint64_t counted_32_bit = 0xFFFF'FFFF + 0x7F'FFFFull;
  EXPECT_EQ(rate.runs[0], sizeof(void*) < 8 ? counted_32_bit : 5'000'000'001u);
  EXPECT_EQ(delay.runs[0], 1u);
}

// spec: S6
// case: SP-16
TEST(scheduler_periodic, each_job_has_a_backlog_limit_of_its_own) {
  world w;
  warnings heard{w};
  const auto few =
      w.timers().schedule_at_fixed_rate(tick_length, tick_length, [] {}, {.backlog_limit = 1});
  const auto many =
      w.timers().schedule_at_fixed_rate(tick_length, tick_length, [] {}, {.backlog_limit = 8});
  ASSERT_TRUE(few.has_value() && many.has_value());

  w.clock().jump(5 * tick_length);
  EXPECT_TRUE(few->is_cancelled());
  EXPECT_FALSE(many->is_cancelled());
  EXPECT_EQ(count(heard.subscription, scheduler_event_kind::backlog_exceeded), 1u);
  EXPECT_TRUE(w.check_invariants());
}

// spec: S7
TEST(scheduler_periodic, a_fixed_delay_has_no_backlog_and_a_limit_for_it_is_refused) {
  world w;
  int runs = 0;
  const auto limited =
      w.timers().schedule_with_fixed_delay(tick_length, tick_length, [] {}, {.backlog_limit = 3});
  const auto goes_on =
      w.timers().schedule_with_fixed_delay(tick_length, tick_length, [&] { ++runs; });
  ASSERT_FALSE(limited.has_value());
  EXPECT_EQ(limited.error(), scheduler_error::no_backlog);
  EXPECT_EQ(w.timers().metrics().refused_total, 1u);

  w.clock().jump(10 * tick_length);
  EXPECT_EQ(runs, 1);
  EXPECT_FALSE(goes_on->is_cancelled());
  EXPECT_TRUE(w.check_invariants());
}

// case: SM-01
TEST(scheduler_periodic, an_initial_delay_of_zero_means_the_next_tick) {
  scheduler_config config;
  config.timing.resolution = 1ms;
  world w{config};
  int at_once = 0;
  int later = 0;
  const auto first = w.timers().schedule_at_fixed_rate(0ms, 5ms, [&] { ++at_once; });
  const auto second = w.timers().schedule_at_fixed_rate(5ms, 5ms, [&] { ++later; });
  EXPECT_EQ(at_once, 0);  // not on the caller's stack

  w.clock().advance(12ms);
  EXPECT_EQ(at_once, 3);
  EXPECT_EQ(later, 2);
  EXPECT_TRUE(first.has_value() && second.has_value());
}

// case: SM-02
TEST(scheduler_periodic, the_clock_may_move_in_many_steps) {
  scheduler_config config;
  config.timing.resolution = 1ms;
  world w{config};
  int runs = 0;
  const auto timer = w.timers().schedule_at_fixed_rate(5ms, 5ms, [&] { ++runs; });
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(7ms);
  EXPECT_EQ(runs, 1);
  w.clock().advance(1ms);
  EXPECT_EQ(runs, 1);
  w.clock().advance(10ms);
  EXPECT_EQ(runs, 3);
}

// case: SM-03
TEST(scheduler_periodic, one_of_three_equal_jobs_can_be_cancelled) {
  scheduler_config config;
  config.timing.resolution = 1ms;
  world w{config};
  int runs = 0;
  const auto run = [&] { ++runs; };
  const auto first = w.timers().schedule_at_fixed_rate(5ms, 5ms, run);
  auto second = w.timers().schedule_at_fixed_rate(5ms, 5ms, run);
  const auto third = w.timers().schedule_at_fixed_rate(5ms, 5ms, run);

  w.clock().advance(7ms);
  EXPECT_EQ(runs, 3);
  EXPECT_TRUE(second->cancel());
  w.clock().advance(4ms);
  EXPECT_EQ(runs, 5);
  EXPECT_TRUE(first.has_value() && third.has_value());
}

// spec: S6
TEST(scheduler_periodic, an_interval_longer_than_the_wheel_goes_through_the_overflow_each_time) {
  world w;
  run_log log{w};
  const auto timer =
      w.timers().schedule_at_fixed_rate(20 * tick_length, 20 * tick_length, log.note());
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(100 * tick_length);
  ASSERT_EQ(log.count, 5u);
  EXPECT_EQ(log.at_ms[4], 1000u);
  w.clock().jump(0ms);
  EXPECT_TRUE(w.check_invariants());
}

// spec: T5
TEST(scheduler_periodic, the_grid_never_wraps) {
  constexpr std::uint64_t end = tick::max().count;
  const due_runs late = runs_until(tick{end - 1}, {.whole = tick{5}}, 1, 1'000'000'000);
  EXPECT_EQ(late.runs, end) << "more than fit";
  EXPECT_EQ(late.next, (grid_point{.whole = tick{end - 1}, .rest_ns = 1}));
  constexpr std::uint64_t far = std::uint64_t{1} << 55;
  const due_runs thirds = runs_until(tick{far}, {.whole = tick{2}}, 3'000'000'000, 1'000'000'000);
  EXPECT_EQ(thirds.runs, (far - 2) / 3 + 1);
  EXPECT_EQ(thirds.next, (grid_point{.whole = tick{far + 3 - (far - 2) % 3}}));
  const due_runs odd =
      runs_until(tick{far}, {.whole = tick{2}, .rest_ns = 7}, 2'500'000'000, 1'000'000'000);
  EXPECT_EQ(odd.runs, (far - 2) / 5 * 2 + ((far - 2) % 5 * 2 - 1) / 5 + 1);
  EXPECT_GT(odd.next.whole, tick{far});
  const due_runs last = runs_until(tick{end}, {.whole = tick{end}}, 0x7FFF'FFFF'0000'0000, 1000);
  EXPECT_EQ(last.runs, 1u);
  EXPECT_EQ(last.next.whole, tick::max());
}

}  // namespace
}  // namespace tactor
