// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/scheduler/job/run_result.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/report/diagnostics.hpp"
#include "tactor/core/scheduler/report/drift_monitor.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_storage.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/testkit/queue_dispatcher.hpp"
#include "tactor/testkit/queue_mailbox.hpp"
#include "tactor/testkit/scheduler_harness.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <string_view>
#include <utility>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using kind = scheduler_event_kind;

using world = testkit::scheduler_harness<8, 8>;
constexpr auto tick_length = 10ms;

// One listener with storage for `Capacity` events.
template <std::size_t Capacity>
struct listener {
  explicit listener(world& of, scheduler_event_kinds what = scheduler_event_kinds::all())
      : subscription(of.timers().events(), storage, what) {}

  std::size_t count(kind wanted) {
    std::size_t found = 0;
    while (const auto event = subscription.try_next())
      found += event->kind == wanted ? 1u : 0u;
    return found;
  }

  std::array<scheduler_event, Capacity> storage{};
  diagnostics_subscription subscription;
};

constexpr auto warnings_only = scheduler_event_kinds::warnings();

// spec: X2
// case: SM-11
TEST(scheduler_events, a_listener_sees_what_happens_to_a_job_in_order) {
  world w;
  listener<8> heard{w};
  auto ran = w.timers().schedule_once(20ms, [] {});
  auto cancelled = w.timers().schedule_once(30ms, [] {}, {.priority = timer_priority::low});
  w.clock().advance(20ms);
  EXPECT_TRUE(cancelled->cancel());

  struct seen {
    kind what;
    std::uint64_t job;
    job_priority priority;
    tick at;
  };
  constexpr job_priority low = job_priority::low;
  constexpr job_priority normal = job_priority::normal;
  const std::array<seen, 4> expected{{{kind::scheduled, ran->id(), normal, tick{0}},
                                      {kind::scheduled, cancelled->id(), low, tick{0}},
                                      {kind::fired, ran->id(), normal, tick{2}},
                                      {kind::cancelled, cancelled->id(), low, tick{2}}}};
  for (const seen& each : expected) {
    const auto event = heard.subscription.try_next();
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(event->kind, each.what);
    EXPECT_EQ(event->job, each.job);
    EXPECT_EQ(event->priority, each.priority);
    EXPECT_EQ(event->at, each.at);
    const tick deadline = each.job == ran->id() ? tick{2} : tick{3};
    EXPECT_TRUE(event->deadline == deadline || each.what == kind::cancelled);
  }
  EXPECT_FALSE(heard.subscription.try_next().has_value());
}

// spec: X2
TEST(scheduler_events, the_end_of_a_job_whose_run_fails_is_a_cancel) {
  using result = std::expected<void, int>;
  world w;
  listener<16> heard{w, kind::cancelled};
  testkit::queue_mailbox<4> mailbox;
  const auto once = *w.timers().schedule_once(10ms, []() -> result { return std::unexpected{1}; });
  const auto again =
      *w.timers().schedule_at_fixed_rate(10ms, 10ms, []() -> result { return std::unexpected{1}; });
  const auto message = *w.timers().schedule_with_fixed_delay(10ms, 10ms, mailbox, 7);
  w.clock().advance(10ms);
  timer_job* const due = mailbox.take();
  ASSERT_TRUE(due != nullptr && due->begin().has_value());
  due->finish(std::unexpected{handler_error{}});
  for (const cancellable& each : {once, again, message})
    EXPECT_EQ(heard.subscription.try_next()->job, each.id());
  EXPECT_FALSE(heard.subscription.try_next().has_value());
  EXPECT_EQ(w.timers().metrics().cancelled_total, 3u);
}

// spec: X2
// case: SM-11
TEST(scheduler_events, events_beyond_the_storage_of_a_listener_are_dropped_and_counted) {
  world w;
  listener<1> slow{w};
  listener<8> fast{w};
  int runs = 0;
  const auto timer = w.timers().schedule_once(20ms, [&] { ++runs; });
  const auto other = w.timers().schedule_once(20ms, [&] { ++runs; });
  w.clock().advance(20ms);
  EXPECT_EQ(runs, 2);
  EXPECT_TRUE(timer->is_completed() && other->is_completed());

  EXPECT_EQ(slow.subscription.try_next()->kind, kind::scheduled);
  const auto dropped = slow.subscription.try_next();
  ASSERT_TRUE(dropped.has_value());
  EXPECT_EQ(dropped->kind, kind::diagnostics_dropped);
  EXPECT_EQ(dropped->value, 3u);
  EXPECT_TRUE(is_warning(dropped->kind));
  EXPECT_FALSE(slow.subscription.try_next().has_value());
  EXPECT_EQ(fast.count(kind::fired), 2u);
}

// spec: X2
TEST(scheduler_events, a_listener_may_want_warnings_only_and_may_come_and_go) {
  scheduler_config config;
  config.system_quota = 1;
  world w{config};
  {
    listener<2> gone{w};
  }
  listener<2> heard{w, warnings_only};
  const auto timer = w.timers().schedule_once(20ms, [] {});
  EXPECT_FALSE(w.timers().schedule_once(20ms, [] {}).has_value());
  EXPECT_EQ(heard.subscription.try_next()->kind, kind::quota_reached);
  EXPECT_FALSE(heard.subscription.try_next().has_value());
  EXPECT_EQ(w.timers().metrics().warnings_total, 1u);
  EXPECT_TRUE(timer.has_value());
}

// spec: X2 S4
TEST(scheduler_events, an_undeliverable_message_is_an_event) {
  world w;
  listener<8> heard{w};
  testkit::queue_mailbox<> mailbox;
  mailbox.close();
  const auto timer = w.timers().schedule_once(20ms, mailbox, 1);
  w.clock().advance(20ms);
  EXPECT_EQ(heard.count(kind::undeliverable), 1u);
  EXPECT_TRUE(timer->is_completed());
}

// spec: T7
// case: SM-14
TEST(scheduler_events, a_driver_on_time_has_no_drift) {
  world w;
  listener<8> heard{w, warnings_only};
  std::uint64_t scheduled = 0;
  for (int round = 0; round < 250; ++round) {
    for (int each = 0; each < 8; ++each) {
      const auto delay = (1 + (round * 7 + each * 5) % 32) * tick_length;
      ASSERT_TRUE(w.timers().schedule_once(delay, [] {}).has_value());
      ++scheduled;
    }
    w.clock().advance(32 * tick_length);
  }
  EXPECT_EQ(w.timers().metrics().completed_total, scheduled);
  EXPECT_EQ(w.timers().metrics().drift_worst_ns, 0u);
  EXPECT_FALSE(heard.subscription.try_next().has_value());
}

// spec: T7
TEST(scheduler_events, a_late_poll_of_a_manual_clock_raises_a_warning_at_most_once_a_second) {
  world w;
  listener<8> heard{w, warnings_only};
  const auto poll_late = [&] {
    ASSERT_TRUE(w.timers().schedule_once(tick_length, [] {}).has_value());
    w.clock().jump(2 * tick_length);
  };
  poll_late();
  const auto event = heard.subscription.try_next();
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->kind, kind::drift_exceeded);
  EXPECT_EQ(event->value, 10'000'000u);

  for (int poll = 0; poll < 49; ++poll)
    poll_late();
  EXPECT_EQ(heard.count(kind::drift_exceeded), 0u) << "within the same second";
  poll_late();
  EXPECT_EQ(heard.count(kind::drift_exceeded), 1u);
  EXPECT_EQ(w.timers().metrics().drift_last_ns, 10'000'000u);
}

// spec: T7
TEST(drift_monitor, eight_late_polls_in_a_row_of_a_real_clock_are_worth_a_warning) {
  drift_monitor monitor{clock_kind::realtime, 10ms, std::nullopt};
  for (int poll = 0; poll < 20; ++poll)
    EXPECT_FALSE(monitor.note(tick{}, 500'000).has_value()) << "within the budget";
  for (int round = 0; round < 4; ++round) {
    for (int poll = 0; poll < 7; ++poll)
      EXPECT_FALSE(monitor.note(tick{}, 500'001).has_value());
    EXPECT_FALSE(monitor.note(tick{}, 0).has_value()) << "one poll on time resets the count";
  }
  for (int poll = 0; poll < 7; ++poll)
    EXPECT_FALSE(monitor.note(tick{}, 500'001).has_value());
  EXPECT_EQ(monitor.note(tick{}, 600'000), 600'000u);
  EXPECT_EQ(monitor.worst_ns(), 600'000u);
}

// spec: T7
TEST(drift_monitor, the_budget_is_zero_on_a_manual_clock_and_a_share_of_a_tick_else) {
  constexpr auto unset = std::nullopt;
  EXPECT_EQ(drift_monitor(clock_kind::deterministic, 10ms, unset).budget_ns(), 0u);
  EXPECT_EQ(drift_monitor(clock_kind::deterministic, 10ms, 5).budget_ns(), 0u);
  EXPECT_EQ(drift_monitor(clock_kind::realtime, 1ms, unset).budget_ns(), 500'000u);
  EXPECT_EQ(drift_monitor(clock_kind::realtime, 10ms, unset).budget_ns(), 500'000u);
  EXPECT_EQ(drift_monitor(clock_kind::realtime, 1s, unset).budget_ns(), 50'000'000u);
  EXPECT_EQ(drift_monitor(clock_kind::realtime, 1ms, 5).budget_ns(), 50'000u);
  EXPECT_EQ(drift_monitor(clock_kind::realtime, 1ms, 50).budget_ns(), 500'000u);
  EXPECT_EQ(drift_monitor(clock_kind::realtime, 1s, 100).budget_ns(), 1'000'000'000u);
  EXPECT_EQ(drift_monitor(clock_kind::realtime, 1s, 0).budget_ns(), 0u);
}

// A clock that only a test moves, which a scheduler takes for a real one.
class pretended_clock final : public monotonic_clock {
public:
  [[nodiscard]] timer_instant now() const noexcept override {
    return {.ticks = ns, .resolution_ns = 1};
  }
  [[nodiscard]] clock_kind kind() const noexcept override { return clock_kind::realtime; }
  std::uint64_t ns = 0;
};

// How many warnings eight polls raise that are `late` each, with this budget and ticks of 10 ms.
std::size_t warnings_of_late_polls(std::optional<std::uint32_t> budget_percent, duration late) {
  scheduler_config config;
  config.drift_budget_percent = budget_percent;
  EXPECT_TRUE(check(config).has_value());
  pretended_clock clock;
  testkit::queue_dispatcher dispatcher;
  static_scheduler_storage<8, 4> storage;
  scheduler timers{config, storage.parts(clock, dispatcher)};
  std::array<scheduler_event, 8> room{};
  diagnostics_subscription heard{timers.events(), room, kind::drift_exceeded};
  for (int poll = 0; poll < 8; ++poll) {
    EXPECT_TRUE(timers.schedule_once(tick_length, [] {}).has_value());
    clock.ns +=
        static_cast<std::uint64_t>(duration{tick_length}.nanoseconds() + late.nanoseconds());
    (void)timers.poll();
    dispatcher.run_waiting();
    clock.ns = (clock.ns / 10'000'000 + 1) * 10'000'000;
    (void)timers.poll();
  }
  std::size_t count = 0;
  while (heard.try_next())
    ++count;
  return count;
}

// spec: T7
TEST(scheduler_events, the_setting_decides_how_late_a_poll_may_be) {
  EXPECT_EQ(warnings_of_late_polls({}, 501us), 1u);
  EXPECT_EQ(warnings_of_late_polls({}, 500us), 0u) << "no less than the jitter of a system";
  EXPECT_EQ(warnings_of_late_polls(3, 301us), 1u);
  EXPECT_EQ(warnings_of_late_polls(3, 300us), 0u);
  EXPECT_EQ(warnings_of_late_polls(50, 4900us), 0u);
  EXPECT_EQ(warnings_of_late_polls(50, 5001us), 1u);
  EXPECT_EQ(warnings_of_late_polls(0, 1us), 1u);
  scheduler_config config;
  config.drift_budget_percent = 101;
  ASSERT_FALSE(check(config).has_value());
  EXPECT_EQ(std::string_view{check(config).error().setting}, "drift_budget_percent");
}

// A clock that counts seconds.
class coarse_clock final : public monotonic_clock {
public:
  [[nodiscard]] timer_instant now() const noexcept override {
    return {.ticks = seconds, .resolution_ns = 1'000'000'000};
  }
  [[nodiscard]] clock_kind kind() const noexcept override { return clock_kind::deterministic; }
  std::uint64_t seconds = 0;
};

// A scheduler on such a clock, whose driver has been away: by 2^55 s, which in nanoseconds is a
// multiple of 2^64.
struct far_behind {
  static constexpr std::uint64_t late = std::uint64_t{1} << 55;

  static scheduler_config config() {
    scheduler_config chosen;
    chosen.timing.resolution = 1s;
    return chosen;
  }
  void jump() {
    (void)timers.poll();
    clock.seconds += late + 1;
  }
  void poll() {
    (void)timers.poll();
    dispatcher.run_waiting();
  }

  coarse_clock clock;
  testkit::queue_dispatcher dispatcher;
  static_scheduler_storage<8, 4> storage;
  scheduler timers{config(), storage.parts(clock, dispatcher)};
};

// spec: T5 T7
TEST(scheduler_events, the_drift_of_a_poll_that_comes_far_too_late_does_not_wrap) {
  far_behind w;
  ASSERT_TRUE(w.timers.schedule_once(1s, [] {}).has_value());
  w.jump();
  w.poll();
  EXPECT_EQ(w.timers.metrics().drift_worst_ns, std::numeric_limits<std::uintptr_t>::max());
}

// spec: T5
TEST(scheduler_events, a_stall_that_lasts_far_too_long_is_reported) {
  if (sizeof(void*) < 8) return;  // there the plan of the driver holds 32 bits of a tick
  far_behind w;
  std::array<scheduler_event, 8> events{};
  diagnostics_subscription heard{w.timers.events(), events, warnings_only};
  ASSERT_TRUE(w.timers.schedule_once(1s, [] {}).has_value());
  w.jump();
  w.timers.check_for_stall();
  const auto event = heard.try_next();
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->kind, kind::driver_stalled);
  EXPECT_EQ(event->value, std::numeric_limits<std::uint64_t>::max());
}

// spec: T5 S6 S7
TEST(scheduler_events, a_backlog_far_beyond_its_limit_does_not_wrap) {
  far_behind w;
  std::uint64_t runs = 0;
  const auto free =
      w.timers.schedule_at_fixed_rate(1s, 1s, [&](execution_batch batch) { runs = batch.runs; });
  const auto rate = w.timers.schedule_at_fixed_rate(1s, 1s, [] {}, {.backlog_limit = 8});
  const auto delay = w.timers.schedule_with_fixed_delay(1s, 1s, [] {});
  ASSERT_TRUE(free.has_value() && rate.has_value() && delay.has_value());
  w.jump();
  w.poll();
  constexpr std::uint64_t counted_32_bit = 0xFFFF'FFFF + 0x7F'FFFFull;
  EXPECT_EQ(runs, sizeof(void*) < 8 ? counted_32_bit : far_behind::late + 1);
  EXPECT_TRUE(rate->is_cancelled());
  EXPECT_FALSE(delay->is_cancelled());
}

// spec: T9
// case: SM-17
TEST(scheduler_events, a_driver_that_stops_polling_is_reported_once_and_so_is_its_return) {
  world w;
  listener<8> heard{w, warnings_only};
  const auto timer = w.timers().schedule_once(20ms, [] {});
  ASSERT_TRUE(timer.has_value());
  (void)w.timers().poll();
  w.stop_driver();

  w.clock().jump(1s + 20ms);
  w.timers().check_for_stall();  // overdue by the limit, not by more
  EXPECT_FALSE(heard.subscription.try_next().has_value());
  w.clock().jump(10ms);
  (void)w.timers().metrics();
  auto event = heard.subscription.try_next();
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->kind, kind::driver_stalled);
  EXPECT_EQ(event->value, 1'010'000'000u);
  EXPECT_TRUE(w.timers().schedule_once(20ms, [] {}).has_value());
  (void)w.timers().metrics();
  EXPECT_FALSE(heard.subscription.try_next().has_value());

  w.resume_driver();
  w.clock().jump(0ms);
  event = heard.subscription.try_next();
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->kind, kind::driver_resumed);
  EXPECT_EQ(heard.count(kind::drift_exceeded), 1u);
  w.clock().advance(1s);
  EXPECT_TRUE(timer->is_completed());
  EXPECT_FALSE(heard.subscription.try_next().has_value());
}

// spec: T9
// case: SM-17
TEST(scheduler_events, a_driver_that_never_polled_is_reported_by_the_next_call) {
  world w;
  listener<8> heard{w, warnings_only};
  w.stop_driver();
  const auto first = w.timers().schedule_once(20ms, [] {});
  const auto later = w.timers().schedule_once(5s, [] {});
  ASSERT_TRUE(first.has_value() && later.has_value());
  w.clock().jump(2s);

  EXPECT_TRUE(w.timers().schedule_once(20ms, [] {}).has_value());
  EXPECT_EQ(heard.count(kind::driver_stalled), 1u);
  w.resume_driver();
  w.clock().jump(0ms);
  EXPECT_EQ(heard.count(kind::driver_resumed), 1u);
}

// Hangs for two seconds in the first dispatch, while another thread looks for a stall and polls.
class hanging_dispatcher final : public job_dispatcher {
public:
  explicit hanging_dispatcher(world& of) : world_(of) {}
  void dispatch(timer_job& job) noexcept override {
    if (!hung_) {
      hung_ = true;
      world_.stop_driver();
      world_.clock().jump(2s);
      world_.timers().check_for_stall();
      (void)world_.timers().poll();
    }
    job.run();
  }

private:
  world& world_;
  bool hung_ = false;
};

// spec: T9
TEST(scheduler_events, a_driver_that_hangs_while_it_hands_out_is_reported) {
  world w;
  listener<8> heard{w, warnings_only};
  hanging_dispatcher hangs{w};
  once_options there;
  there.dispatcher = &hangs;
  ASSERT_TRUE(w.timers().schedule_once(20ms, [] {}, std::move(there)).has_value());
  w.clock().advance(20ms);
  EXPECT_EQ(heard.count(kind::driver_stalled), 1u);
  EXPECT_EQ(heard.count(kind::driver_resumed), 0u);

  (void)w.timers().poll();
  EXPECT_EQ(heard.count(kind::driver_resumed), 1u);
}

// spec: T9
TEST(scheduler_events, an_idle_driver_is_never_stalled) {
  world w;
  listener<8> heard{w, warnings_only};
  w.clock().advance(1h);
  (void)w.timers().metrics();
  auto timer = w.timers().schedule_once(2s, [] {});
  EXPECT_TRUE(timer->cancel());
  w.clock().advance(1h);
  EXPECT_TRUE(w.timers().schedule_once(20ms, [] {}).has_value());
  EXPECT_FALSE(heard.subscription.try_next().has_value());
}

// spec: T9
TEST(scheduler_events, the_end_of_a_drivers_thread_is_an_event) {
  world w;
  listener<8> heard{w, warnings_only};
  w.timers().report_driver_end();
  EXPECT_EQ(heard.count(kind::driver_ended), 1u);
}

// case: SM-08
TEST(scheduler_events, equal_steps_give_equal_events) {
  const auto run = [] {
    world w;
    listener<16> heard{w};
    std::uint64_t digest = 0;
    std::uint32_t random = 7;
    const auto next = [&random] { return (random = random * 1664525u + 1013904223u) >> 16; };
    for (int step = 0; step < 1000; ++step) {
      if (next() % 3 != 0) {
        (void)w.timers().schedule_once((1 + next() % 30) * tick_length, [] {});
      } else {
        (void)w.inject_random_cancel(next());
      }
      w.clock().advance((next() % 3) * 5ms);
      while (const auto event = heard.subscription.try_next()) {
        for (const std::uint64_t part :
             {std::uint64_t{static_cast<std::uint8_t>(event->kind)}, event->job, event->at.count})
          digest = (digest ^ part) * 0x100'0000'01B3;
      }
    }
    return digest;
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace tactor
