// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_storage.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/queue_dispatcher.hpp"
#include "tactor/testkit/scheduler_harness.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <string_view>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

using world = testkit::scheduler_harness<8, 12, 4>;
constexpr auto far = 200ms;  // the wheel has eight slots of 10 ms

scheduler_config with_overflow(std::size_t capacity) {
  scheduler_config config;
  config.timing.overflow_capacity = capacity;
  return config;
}

struct warnings {
  explicit warnings(world& of)
      : subscription(of.timers().events(), storage, scheduler_event_kinds::warnings()) {}

  /// How many warnings of `kind` came since the last call; drops the others.
  std::size_t count(scheduler_event_kind kind) {
    std::size_t found = 0;
    while (const auto event = subscription.try_next())
      found += event->kind == kind ? 1u : 0u;
    return found;
  }

  std::array<scheduler_event, 8> storage{};
  diagnostics_subscription subscription;
};

// spec: S1c S9
TEST(scheduler_capacity, errors_come_in_their_order_and_change_nothing_but_a_counter) {
  scheduler_config config = with_overflow(1);
  config.system_quota = 2;
  world w{config};
  const auto error = [&](duration delay) {
    const auto timer = w.timers().schedule_once(delay, [] {});
    return timer ? std::optional<scheduler_error>{} : std::optional{timer.error()};
  };
  const auto first = w.timers().schedule_once(far, [] {});
  EXPECT_EQ(error(far), scheduler_error::capacity_exceeded);

  const auto second = w.timers().schedule_once(20ms, [] {});
  EXPECT_EQ(error(far), scheduler_error::quota_exceeded);  // the overflow is full as well
  EXPECT_EQ(error(0ms), scheduler_error::invalid_delay);   // and so is the quota
  EXPECT_EQ(w.timers().schedule_at_fixed_rate(-1ms, 10ms, [] {}).error(),
            scheduler_error::invalid_delay);
  const auto metrics = w.timers().metrics();
  EXPECT_EQ(metrics.scheduled_total, 2u);
  EXPECT_EQ(metrics.active_total, 2u);
  EXPECT_EQ(metrics.refused_total, 4u);
  EXPECT_EQ(metrics.dropped_total, 0u);
  EXPECT_TRUE(w.check_invariants());

  w.timers().close();
  EXPECT_EQ(error(0ms), scheduler_error::shutdown);
  EXPECT_EQ(error(far), scheduler_error::shutdown);
  EXPECT_EQ(w.timers().metrics().scheduled_total, 2u);
  EXPECT_EQ(w.timers().metrics().refused_total, 6u);
  EXPECT_TRUE(first->is_cancelled() && second->is_cancelled());
}

// spec: S9
// case: SW-14
TEST(scheduler_capacity, past_the_quota_timers_are_refused_until_one_has_ended) {
  scheduler_config config;
  config.system_quota = 1;
  world w{config};
  warnings heard{w};
  int runs = 0;
  const auto first = w.timers().schedule_once(20ms, [&] { ++runs; });
  const auto second = w.timers().schedule_once(20ms, [&] { ++runs; });
  ASSERT_TRUE(first.has_value());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error(), scheduler_error::quota_exceeded);
  const auto event = heard.subscription.try_next();
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->kind, scheduler_event_kind::quota_reached);
  EXPECT_EQ(event->value, 1u);
  EXPECT_EQ(w.timers().metrics().quota_limit, 1u);

  w.clock().advance(20ms);
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(w.timers().schedule_once(20ms, [&] { ++runs; }).has_value());
}

// spec: S9
TEST(scheduler_capacity, the_quota_warns_once_per_crossing) {
  scheduler_config config;
  config.system_quota = 2;
  world w{config};
  warnings heard{w};
  auto first = w.timers().schedule_once(1s, [] {});
  auto second = w.timers().schedule_once(1s, [] {});
  for (int again = 0; again < 5; ++again)
    EXPECT_FALSE(w.timers().schedule_once(1s, [] {}).has_value());
  EXPECT_EQ(heard.count(scheduler_event_kind::quota_reached), 1u);

  EXPECT_TRUE(second->cancel());
  EXPECT_TRUE(w.timers().schedule_once(1s, [] {}).has_value());
  for (int again = 0; again < 5; ++again)
    EXPECT_FALSE(w.timers().schedule_once(1s, [] {}).has_value());
  EXPECT_EQ(heard.count(scheduler_event_kind::quota_reached), 1u);
  EXPECT_TRUE(w.check_invariants());
}

// A driver during whose poll another thread schedules: here the same one, so that it always does.
class schedules_in_between final : public timer_poller {
public:
  void poll_now() noexcept override {
    if (other != nullptr) between = other->schedule_once(20ms, [] {});
  }
  scheduler* other = nullptr;
  std::optional<std::expected<cancellable, scheduler_error>> between;
};

// spec: S1c S9
TEST(scheduler_capacity, a_call_refused_for_capacity_takes_nothing_from_the_quota_meanwhile) {
  scheduler_config config = with_overflow(0);
  config.system_quota = 1;
  static_scheduler_storage<8, 4> storage;
  schedules_in_between driver;
  testkit::manual_clock clock;
  testkit::queue_dispatcher dispatcher;
  scheduler timers{config, storage.parts(clock, dispatcher, &driver)};
  driver.other = &timers;

  const auto refused = timers.schedule_once(far, [] {});
  ASSERT_FALSE(refused.has_value());
  ASSERT_TRUE(driver.between.has_value());
  EXPECT_TRUE(driver.between->has_value()) << "one timer is within the quota";
  EXPECT_EQ(timers.metrics().active_total, 1u);
}

// spec: S10
// case: SW-15
TEST(scheduler_capacity, a_full_overflow_of_the_same_class_refuses_and_changes_nothing) {
  world w{with_overflow(2)};
  const auto first = w.timers().schedule_once(far, [] {});
  const auto second = w.timers().schedule_once(far, [] {});
  const auto before = w.timers().metrics();

  for (const timer_priority each : {timer_priority::normal, timer_priority::low}) {
    const auto third = w.timers().schedule_once(far, [] {}, {.priority = each});
    ASSERT_FALSE(third.has_value());
    EXPECT_EQ(third.error(), scheduler_error::capacity_exceeded);
  }
  const auto after = w.timers().metrics();
  EXPECT_EQ(after.scheduled_total, before.scheduled_total);
  EXPECT_EQ(after.active_total, 2u);
  EXPECT_EQ(after.evicted_total, 0u);
  EXPECT_EQ(after.refused_total, 2u);
  EXPECT_TRUE(w.timers()
                  .schedule_once(80ms, [] {})
                  .has_value());  // a near timer needs no overflow capacity
  EXPECT_TRUE(first.has_value() && second.has_value());
  EXPECT_TRUE(w.check_invariants());
}

// spec: T2
TEST(scheduler_capacity, the_overflow_holds_as_many_as_the_quota_by_default) {
  scheduler_config config;
  config.system_quota = 7;
  world w{config};
  EXPECT_EQ(w.timers().config().timing.overflow_capacity, 7u);

  config.timing.overflow_capacity = 3;
  world told{config};
  EXPECT_EQ(told.timers().config().timing.overflow_capacity, 3u);
}

// spec: S10 S13 S3
TEST(scheduler_capacity, a_higher_class_evicts_the_newest_of_the_lowest_class) {
  int hooks = 0;  // the harness runs the remaining jobs on destruction
  world w{with_overflow(4)};
  warnings heard{w};
  const auto low = [&](duration delay) {
    return w.timers().schedule_once(
        delay, [] {}, {.priority = timer_priority::low, .on_cancelled = [&] { ++hooks; }});
  };
  const auto oldest = low(300ms);
  const auto middle = low(200ms);
  auto newest = low(400ms);
  const auto normal = w.timers().schedule_once(far, [] {});
  (void)w.timers().poll();

  const auto fifth = w.timers().schedule_once(far, [] {});
  ASSERT_TRUE(fifth.has_value());
  (void)w.timers().poll();
  EXPECT_TRUE(newest->is_cancelled());
  EXPECT_FALSE(newest->cancel());
  EXPECT_FALSE(oldest->is_cancelled() || middle->is_cancelled() || normal->is_cancelled());
  w.dispatcher().run_all();
  EXPECT_EQ(hooks, 1);

  std::size_t dropped = 0;
  while (const auto event = heard.subscription.try_next()) {
    if (event->kind != scheduler_event_kind::dropped_low_priority) continue;
    ++dropped;
    EXPECT_EQ(event->job, newest->id());
    EXPECT_EQ(event->priority, job_priority::low);
  }
  EXPECT_EQ(dropped, 1u);
  const auto metrics = w.timers().metrics();
  EXPECT_EQ(metrics.evicted_total, 1u);
  EXPECT_EQ(metrics.dropped_total, 1u);
  EXPECT_EQ(metrics.cancelled_total, 0u);
  EXPECT_EQ(metrics.active_total, 4u);
  EXPECT_TRUE(w.check_invariants());
}

// spec: S10
TEST(scheduler_capacity, an_evicted_timer_is_reported_with_its_deadline) {
  world w{with_overflow(1)};
  warnings heard{w};
  const auto low = w.timers().schedule_once(far, [] {}, {.priority = timer_priority::low});
  (void)w.timers().poll();
  const auto normal = w.timers().schedule_once(far, [] {});
  ASSERT_TRUE(low.has_value() && normal.has_value());
  (void)w.timers().poll();

  const duration resolution = w.timers().config().timing.resolution;
  const auto due =
      static_cast<std::uint64_t>(duration{far}.nanoseconds() / resolution.nanoseconds());
  std::size_t dropped = 0;
  while (const auto event = heard.subscription.try_next()) {
    if (event->kind != scheduler_event_kind::dropped_low_priority) continue;
    ++dropped;
    EXPECT_EQ(event->deadline, tick{due});
  }
  EXPECT_EQ(dropped, 1u);
}

// spec: S10
TEST(scheduler_capacity, a_call_counts_its_own_class_and_is_refused_without_a_lower_one) {
  world w{with_overflow(2)};
  const auto normal = [&] { return w.timers().schedule_once(far, [] {}); };
  const auto low = w.timers().schedule_once(far, [] {}, {.priority = timer_priority::low});
  const auto first = normal();
  const auto second = normal();  // nothing was evicted yet: the low one counts for low ones only
  ASSERT_TRUE(first.has_value() && second.has_value());
  const auto third = normal();
  ASSERT_FALSE(third.has_value());
  EXPECT_EQ(third.error(), scheduler_error::capacity_exceeded);
  EXPECT_FALSE(w.timers().schedule_once(far, [] {}, {.priority = timer_priority::low}).has_value());
  (void)w.timers().poll();
  EXPECT_TRUE(low->is_cancelled());
  EXPECT_EQ(w.timers().metrics().evicted_total, 1u);

  w.clock().advance(1s);
  EXPECT_TRUE(first->is_completed() && second->is_completed());
  EXPECT_TRUE(w.check_invariants());
}

// spec: S10
TEST(scheduler_capacity, more_timers_than_the_capacity_are_evicted_the_newest_first) {
  world w{with_overflow(1)};
  warnings heard{w};
  const auto back = w.timers().schedule_with_fixed_delay(20ms, far, [] {});
  const auto normal = w.timers().schedule_once(400ms, [] {});
  ASSERT_TRUE(back.has_value() && normal.has_value());
  w.clock().advance(20ms);  // the first one comes back, far ahead now: no call counted that
  (void)w.timers().poll();
  EXPECT_TRUE(back->is_cancelled());
  EXPECT_FALSE(normal->is_cancelled());
  EXPECT_EQ(heard.count(scheduler_event_kind::dropped_low_priority), 1u);
  EXPECT_EQ(w.timers().metrics().evicted_total, 1u);
  EXPECT_EQ(w.timers().wheel().overflow_size(), 1u);
  EXPECT_TRUE(w.check_invariants());
}

// spec: S10
TEST(scheduler_capacity, what_has_come_into_range_moves_before_anything_is_evicted_or_refused) {
  world w{with_overflow(1)};
  int runs = 0;
  const auto low =
      w.timers().schedule_once(90ms, [&] { ++runs; }, {.priority = timer_priority::low});
  w.clock().advance(50ms);  // 40 ms ahead now: it no longer needs overflow capacity

  const auto normal = w.timers().schedule_once(far, [&] { ++runs; });
  ASSERT_TRUE(normal.has_value());
  w.clock().advance(1s);
  EXPECT_FALSE(low->is_cancelled());
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(w.timers().metrics().evicted_total, 0u);
}

// spec: S10 T2
TEST(scheduler_capacity, the_batch_limit_does_not_keep_unneeded_capacity) {
  scheduler_config config = with_overflow(3);
  config.timing.batch_limit = 0;
  world w{config};
  std::array<cancellable, 3> early;
  for (auto& each : early)
    each = *w.timers().schedule_once(100ms, [] {});
  (void)w.timers().poll();
  w.clock().jump(50ms);

  for (int each = 0; each < 3; ++each)
    EXPECT_TRUE(w.timers().schedule_once(far, [] {}).has_value());
  EXPECT_FALSE(w.timers().schedule_once(far, [] {}).has_value());
  EXPECT_TRUE(w.check_invariants());
}

// spec: S10 S5
TEST(scheduler_capacity, a_cancelled_far_timer_frees_capacity_and_no_other_is_evicted) {
  world w{with_overflow(2)};
  const auto kept = w.timers().schedule_once(far, [] {}, {.priority = timer_priority::low});
  auto cancelled = w.timers().schedule_once(far, [] {}, {.priority = timer_priority::low});
  (void)w.timers().poll();
  EXPECT_TRUE(cancelled->cancel());

  const auto normal = w.timers().schedule_once(far, [] {});
  ASSERT_TRUE(normal.has_value());
  (void)w.timers().poll();
  EXPECT_FALSE(kept->is_cancelled());
  EXPECT_EQ(w.timers().metrics().evicted_total, 0u);
  EXPECT_TRUE(w.check_invariants());
}

// spec: S10
TEST(scheduler_capacity, a_timer_that_is_cancelled_before_it_arrives_evicts_none) {
  world w{with_overflow(1)};
  const auto low = w.timers().schedule_once(far, [] {}, {.priority = timer_priority::low});
  (void)w.timers().poll();
  auto normal = w.timers().schedule_once(far, [] {});
  ASSERT_TRUE(normal.has_value());
  EXPECT_TRUE(normal->cancel());

  (void)w.timers().poll();
  EXPECT_FALSE(low->is_cancelled());
  EXPECT_TRUE(w.check_invariants());
  w.clock().advance(1s);
  EXPECT_TRUE(low->is_completed());
  EXPECT_TRUE(w.timers().schedule_once(far, [] {}).has_value());
}

// A callable that acts while it is moved into its timer, like another thread might at that moment.
struct meddler {
  explicit meddler(world& of, void (*what)(world&)) : w(&of), meddle(what) {}
  meddler(meddler&& other) noexcept : w(other.w), meddle(nullptr) {
    if (other.meddle != nullptr) other.meddle(*w);
  }
  meddler(const meddler&) = delete;
  meddler& operator=(const meddler&) = delete;
  meddler& operator=(meddler&&) = delete;
  ~meddler() = default;
  void operator()() const noexcept {}

  world* w;
  void (*meddle)(world&);
};

// spec: S10
TEST(scheduler_capacity, a_timer_that_is_cancelled_on_its_way_costs_no_other_its_place) {
  world w{with_overflow(1)};
  // Between its admission and its arrival a higher class takes its capacity.
  auto low = w.timers().schedule_once(far,
                                      meddler{w,
                                              [](world& in) {
                                                const auto normal =
                                                    in.timers().schedule_once(150ms, [] {});
                                                EXPECT_TRUE(normal.has_value());
                                                (void)in.timers().poll();
                                              }},
                                      {.priority = timer_priority::low});
  ASSERT_TRUE(low.has_value());
  EXPECT_TRUE(low->cancel());
  (void)w.timers().poll();
  EXPECT_TRUE(w.check_invariants());

  w.clock().advance(150ms);  // the normal timer is gone, and its capacity is free
  const auto next = w.timers().schedule_once(far, [] {}, {.priority = timer_priority::low});
  ASSERT_TRUE(next.has_value());
  (void)w.timers().poll();
  EXPECT_FALSE(next->is_cancelled());
  EXPECT_EQ(w.timers().metrics().evicted_total, 0u);
  EXPECT_TRUE(w.check_invariants());
}

// spec: S10
TEST(scheduler_capacity, a_timer_of_a_lower_class_that_arrives_late_is_evicted) {
  world w{with_overflow(1)};
  const auto low = w.timers().schedule_once(far,
                                            meddler{w,
                                                    [](world& in) {
                                                      (void)in.timers().schedule_once(far, [] {});
                                                      (void)in.timers().poll();
                                                    }},
                                            {.priority = timer_priority::low});
  ASSERT_TRUE(low.has_value());
  (void)w.timers().poll();
  EXPECT_TRUE(low->is_cancelled());
  EXPECT_EQ(w.timers().metrics().evicted_total, 1u);
  EXPECT_TRUE(w.check_invariants());
}

// spec: S10
TEST(scheduler_capacity, a_timer_that_never_arrives_gives_back_no_capacity_that_was_not_taken) {
  world w{with_overflow(1)};
  const auto low = w.timers().schedule_once(90ms, [] {}, {.priority = timer_priority::low});
  (void)w.timers().poll();
  // Between its admission and its arrival the low timer leaves by itself.
  auto normal =
      w.timers().schedule_once(far, meddler{w, [](world& in) { in.clock().advance(90ms); }});
  ASSERT_TRUE(normal.has_value());
  EXPECT_TRUE(normal->cancel());
  (void)w.timers().poll();

  EXPECT_TRUE(low->is_completed());
  EXPECT_TRUE(w.check_invariants());
  EXPECT_TRUE(w.timers().schedule_once(far, [] {}).has_value());
}

// spec: S10 T2
TEST(scheduler_capacity, the_overflow_warns_once_per_crossing_of_its_threshold) {
  world w{with_overflow(4)};
  warnings heard{w};
  std::array<cancellable, 4> timers;
  for (std::size_t each = 0; each < 2; ++each)
    timers[each] = *w.timers().schedule_once(far, [] {});
  (void)w.timers().poll();
  EXPECT_EQ(heard.count(scheduler_event_kind::overflow_near_capacity), 0u);
  timers[2] = *w.timers().schedule_once(far, [] {});  // 75 percent
  (void)w.timers().poll();
  EXPECT_EQ(heard.count(scheduler_event_kind::overflow_near_capacity), 1u);
  timers[3] = *w.timers().schedule_once(far, [] {});
  (void)w.timers().poll();
  EXPECT_EQ(heard.count(scheduler_event_kind::overflow_near_capacity), 0u);

  EXPECT_TRUE(timers[0].cancel() && timers[1].cancel());
  (void)w.timers().poll();
  EXPECT_EQ(heard.count(scheduler_event_kind::overflow_near_capacity), 0u);
  timers[0] = *w.timers().schedule_once(far, [] {});
  (void)w.timers().poll();
  EXPECT_EQ(heard.count(scheduler_event_kind::overflow_near_capacity), 1u);
}

// spec: S10 T8
TEST(scheduler_capacity, near_timers_after_a_long_idle_time_never_look_far) {
  world w{with_overflow(1)};
  warnings heard{w};
  w.clock().advance(1h);
  for (int each = 0; each < 4; ++each)
    EXPECT_TRUE(w.timers().schedule_once(20ms, [] {}).has_value());

  EXPECT_EQ(w.timers().next_deadline(), tick{360'002});
  EXPECT_EQ(w.timers().wheel().overflow_size(), 0u);
  EXPECT_EQ(heard.count(scheduler_event_kind::overflow_near_capacity), 0u);
  EXPECT_TRUE(w.timers().schedule_once(far, [] {}).has_value());
}

// spec: S1c
TEST(scheduler_capacity, timers_beyond_the_given_memory_are_refused_and_fit_again_later) {
  testkit::scheduler_harness<8, 4, 2> w;
  std::array<cancellable, 4> timers;
  timers[0] = *w.timers().schedule_at_fixed_rate(10ms, 10ms, [] {});
  timers[1] = *w.timers().schedule_at_fixed_rate(10ms, 10ms, [] {});
  const auto third = w.timers().schedule_at_fixed_rate(10ms, 10ms, [] {});
  ASSERT_FALSE(third.has_value());
  EXPECT_EQ(third.error(), scheduler_error::capacity_exceeded);
  timers[2] = *w.timers().schedule_once(10ms, [] {});
  timers[3] = *w.timers().schedule_once(10ms, [] {});
  EXPECT_FALSE(w.timers().schedule_once(10ms, [] {}).has_value());
  EXPECT_TRUE(w.check_invariants());

  EXPECT_TRUE(timers[0].cancel());
  timers[0] = {};
  EXPECT_TRUE(w.timers().schedule_at_fixed_rate(10ms, 10ms, [] {}).has_value());
  EXPECT_TRUE(w.check_invariants());
}

// spec: S13
// case: SM-13
TEST(scheduler_capacity, the_counters_balance_at_every_step) {
  world w;
  auto first = w.timers().schedule_once(20ms, [] {});
  EXPECT_TRUE(w.check_invariants());
  const auto second = w.timers().schedule_once(20ms, [] {});
  EXPECT_TRUE(w.check_invariants());
  EXPECT_EQ(w.timers().metrics().active_total, 2u);
  EXPECT_TRUE(first->cancel());
  EXPECT_TRUE(w.check_invariants());
  EXPECT_EQ(w.timers().metrics().active_total, 1u);
  w.clock().advance(20ms);
  EXPECT_TRUE(w.check_invariants());

  const auto metrics = w.timers().metrics();
  EXPECT_EQ(metrics.scheduled_total, 2u);
  EXPECT_EQ(metrics.active_total, 0u);
  EXPECT_EQ(metrics.cancelled_total, 1u);
  EXPECT_EQ(metrics.completed_total, 1u);
  EXPECT_EQ(metrics.dropped_total, 0u);
  EXPECT_EQ(metrics.periodic_total, 0u);
  EXPECT_TRUE(second->is_completed());
}

// spec: S9
// case: SW-17
TEST(scheduler_capacity, an_invalid_configuration_is_refused_by_name) {
  const auto refused = [](const scheduler_config& config, std::string_view setting,
                          std::int64_t value) {
    const auto checked = check(config);
    return !checked && checked.error().setting == setting && checked.error().value == value &&
           !std::string_view{checked.error().allowed}.empty();
  };
  EXPECT_TRUE(check(scheduler_config{}).has_value());
  EXPECT_TRUE(refused({.system_quota = 0}, "system_quota", 0));
  EXPECT_TRUE(check(scheduler_config{.close_task_limit = 0}).has_value());
  EXPECT_TRUE(check(scheduler_config{.close_task_limit = 1U << 20U}).has_value());
  EXPECT_TRUE(refused({.close_task_limit = (1U << 20U) + 1}, "close_task_limit", (1 << 20) + 1));
  constexpr std::size_t too_many = std::numeric_limits<std::size_t>::max();
  EXPECT_FALSE(check(scheduler_config{.close_task_limit = too_many}).has_value());
  EXPECT_TRUE(refused({.stall_limit = 0ms}, "stall_limit", 0));
  EXPECT_TRUE(refused({.stall_limit = -1ms}, "stall_limit", -1'000'000));
  EXPECT_TRUE(check(scheduler_config{.drift_budget_percent = 100}).has_value());
  EXPECT_TRUE(refused({.drift_budget_percent = 101}, "drift_budget_percent", 101));
  EXPECT_TRUE(refused({.timing = {.wheel_slots = 3}}, "wheel_slots", 3));
}

}  // namespace
}  // namespace tactor
