// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/memory_source.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
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
constexpr auto tick_length = 10ms;

// The order in which jobs ran.
struct run_order {
  std::array<int, 12> jobs{};
  std::size_t count = 0;

  // A callable that notes `job`.
  auto note(int job) {
    return [this, job] { jobs[count++] = job; };
  }
  // Whether 0, 1, 2 … ran, `total` of them.
  [[nodiscard]] bool is_ascending(std::size_t total) const {
    for (std::size_t each = 0; each < count; ++each) {
      if (jobs[each] != static_cast<int>(each)) return false;
    }
    return count == total;
  }
};

// spec: S1a T4
// case: SO-01
TEST(scheduler_once, a_one_shot_runs_once_when_its_delay_is_over) {
  world w;
  int runs = 0;
  const auto timer = w.timers().schedule_once(10 * tick_length, [&] { ++runs; });
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(9 * tick_length);
  EXPECT_EQ(runs, 0);
  w.clock().advance(tick_length);
  EXPECT_EQ(runs, 1);
  w.clock().advance(100 * tick_length);
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(timer->is_completed());
  EXPECT_EQ(w.timers().metrics().active_total, 0u);
  EXPECT_TRUE(w.check_invariants());
}

// spec: S1a S8
// case: SO-02
TEST(scheduler_once, a_callable_runs_on_its_own_dispatcher_and_never_inside_a_poll) {
  world w;
  testkit::queue_dispatcher other;
  int here = 0;
  int there = 0;
  w.hold_jobs();
  const auto first = w.timers().schedule_once(20ms, [&] { ++here; });
  const auto second = w.timers().schedule_once(20ms, [&] { ++there; }, {.dispatcher = &other});

  w.clock().advance(20ms);
  EXPECT_EQ(here + there, 0);
  EXPECT_EQ(w.dispatcher().size(), 1u);
  EXPECT_EQ(other.size(), 1u);

  other.run_all();
  EXPECT_EQ(here, 0);
  EXPECT_EQ(there, 1);
  w.dispatcher().run_all();
  EXPECT_EQ(here, 1);
  EXPECT_TRUE(first->is_completed() && second->is_completed());
}

// spec: T4
// case: SO-04
TEST(scheduler_once, a_delay_is_rounded_up_to_whole_ticks) {
  world w;
  int runs = 0;
  const auto timer = w.timers().schedule_once(25ms, [&] { ++runs; });
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(20ms);
  EXPECT_EQ(runs, 0);
  w.clock().advance(10ms);
  EXPECT_EQ(runs, 1);
}

// spec: T4
TEST(scheduler_once, a_delay_counts_from_the_call_and_not_from_the_last_tick) {
  world w;
  int runs = 0;
  w.clock().advance(9ms);
  const auto timer = w.timers().schedule_once(20ms, [&] { ++runs; });
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(20ms);  // at 29 ms: the delay is over, the tick is not
  EXPECT_EQ(runs, 0);
  w.clock().advance(1ms);
  EXPECT_EQ(runs, 1);
}

// spec: T2
// case: SO-05
TEST(scheduler_once, whole_turns_of_the_wheel_are_neither_a_turn_early_nor_late) {
  world w;
  std::array<int, 3> runs{};
  std::array<cancellable, 3> timers;
  for (std::size_t turns = 1; turns <= 3; ++turns) {
    auto timer = w.timers().schedule_once(static_cast<int>(8 * turns) * tick_length,
                                          [&runs, turns] { ++runs[turns - 1]; });
    ASSERT_TRUE(timer.has_value());
    timers[turns - 1] = *std::move(timer);
  }

  for (std::size_t now = 1; now <= 40; ++now) {
    w.clock().advance(tick_length);
    for (std::size_t turns = 1; turns <= 3; ++turns)
      EXPECT_EQ(runs[turns - 1], now >= 8 * turns ? 1 : 0);
  }
}

// spec: T4
// case: SO-06
TEST(scheduler_once, each_delay_from_one_tick_to_many_fires_at_its_own_tick) {
  world w;
  unsigned fired = 0;
  // At most ten at a time: the next batch follows the last.
  for (int first = 1; first <= 1024; first += 10) {
    const unsigned before = fired;
    std::array<cancellable, 10> timers;
    for (int delay = 1; delay <= 10; ++delay) {
      auto timer = w.timers().schedule_once(delay * tick_length, [&] { ++fired; });
      ASSERT_TRUE(timer.has_value());
      timers[static_cast<std::size_t>(delay - 1)] = *std::move(timer);
    }
    for (unsigned now = 1; now <= 10; ++now) {
      EXPECT_EQ(timers[now - 1].state() == timer_state::completed, false);
      w.clock().advance(tick_length);
      ASSERT_EQ(fired, before + now);
    }
  }
  EXPECT_TRUE(w.assert_monotonic());
}

// spec: S1c T5
// case: SO-07
TEST(scheduler_once, a_delay_that_is_zero_negative_or_too_long_is_refused) {
  world w;
  const auto before = w.timers().metrics();
  bool ran = false;
  const auto refused = [&](duration delay) {
    const auto timer = w.timers().schedule_once(delay, [&] { ran = true; });
    return !timer && timer.error() == scheduler_error::invalid_delay;
  };
  EXPECT_TRUE(refused(0ms));
  EXPECT_TRUE(refused(-1ms));
  EXPECT_TRUE(refused(duration::min()));
  EXPECT_TRUE(refused(duration::max()));
  EXPECT_TRUE(refused(0x8000'0000ll * tick_length));

  w.clock().advance(1s);
  auto after = w.timers().metrics();
  EXPECT_FALSE(ran);
  EXPECT_EQ(after.refused_total, 5u);
  EXPECT_EQ(after.scheduled_total, before.scheduled_total);
  EXPECT_EQ(after.active_total, 0u);
  EXPECT_TRUE(w.check_invariants());
}

// spec: T5 S14
TEST(scheduler_once, the_longest_delay_is_taken_and_kept) {
  world w;
  bool ran = false;
  const auto timer = w.timers().schedule_once(0x7FFF'FFFFll * tick_length, [&] { ran = true; });
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(0x7FFF'FFFEll * tick_length);
  EXPECT_FALSE(ran);
  w.clock().advance(tick_length);
  EXPECT_TRUE(ran);
}

// spec: T5
// case: SW-11
TEST(scheduler_once, works_after_the_clock_has_gone_2_to_the_35_milliseconds_twice) {
  world w;
  w.clock().advance(std::chrono::milliseconds{1ll << 35});
  w.clock().advance(std::chrono::milliseconds{1ll << 35});
  bool ran = false;
  const auto timer = w.timers().schedule_once(1ms, [&] { ran = true; });
  ASSERT_TRUE(timer.has_value());

  w.clock().advance(10ms);
  EXPECT_TRUE(ran);
  EXPECT_EQ(w.timers().metrics().drift_worst_ns, 0u);
}

// spec: T5
TEST(scheduler_once, works_on_a_clock_that_starts_near_the_middle_of_64_bits) {
  world w{{}, nullptr, (std::uint64_t{1} << 63) - 5'000'000};
  int runs = 0;
  const auto timer = w.timers().schedule_once(20ms, [&] { ++runs; });
  const auto rate = w.timers().schedule_at_fixed_rate(20ms, 20ms, [&] { ++runs; });
  ASSERT_TRUE(timer.has_value() && rate.has_value());

  w.clock().advance(70ms);
  EXPECT_EQ(runs, 4);
}

// spec: T3
// case: SO-09
TEST(scheduler_once, timers_of_one_tick_run_in_the_order_in_which_they_were_scheduled) {
  world w;
  run_order order;
  for (int each = 0; each < 10; ++each) {
    if (each == 5) w.clock().advance(60ms);  // the first five were far when they were scheduled
    const duration delay = each < 5 ? 120ms : 60ms;
    ASSERT_TRUE(w.timers().schedule_once(delay, order.note(each)).has_value());
  }

  w.clock().advance(1s);
  EXPECT_TRUE(order.is_ascending(10));
  EXPECT_EQ(w.last_fire_batch().size(), 10u);
}

// A timer of the next test: its deadline and its number.
struct issued_timer {
  std::uint64_t deadline = 0;
  std::uint32_t number = 0;

  [[nodiscard]] bool comes_before(const issued_timer& other) const {
    return deadline != other.deadline ? deadline < other.deadline : number < other.number;
  }
};

// spec: T3
// case: SO-10
TEST(scheduler_once, random_delays_fire_by_deadline_then_by_order_of_issue) {
  std::array<issued_timer, 64> issued;  // the last ones
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    world w;
    issued_timer last;
    std::uint32_t random = seed;
    std::uint32_t number = 0;
    for (int round = 0; round < 25; ++round) {
      while (w.timers().metrics().active_total < 10) {
        random = random * 1664525u + 1013904223u;
        const std::uint32_t ahead = 1 + (random >> 16) % 20;
        issued_timer& own = issued[++number % issued.size()];
        own = {.deadline = w.clock().now().ticks / 10'000'000 + ahead, .number = number};
        const auto run = [&last, &own] {
          EXPECT_TRUE(last.comes_before(own));
          last = own;
        };
        ASSERT_TRUE(w.timers().schedule_once(ahead * tick_length, run).has_value());
      }
      w.clock().advance((1 + random % 7) * tick_length);
    }
    w.clock().advance(1s);
    EXPECT_EQ(w.timers().metrics().completed_total, number);
    EXPECT_TRUE(w.assert_monotonic());
  }
}

// spec: T8
// case: SO-11
TEST(scheduler_once, a_nearer_timer_scheduled_later_fires_first) {
  world w;
  int first = 0;
  int second = 0;
  const auto a = w.timers().schedule_once(10 * tick_length, [&] { ++first; });
  EXPECT_EQ(w.timers().poll().next_deadline, tick{10});
  const auto b = w.timers().schedule_once(3 * tick_length, [&] { ++second; });
  EXPECT_EQ(w.timers().next_deadline(), tick{3});

  w.clock().advance(3 * tick_length);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
  w.clock().advance(7 * tick_length);
  EXPECT_EQ(first, 1);
}

// case: SW-01
TEST(scheduler_once, a_wheel_of_two_slots_fires_one_timer_per_tick) {
  testkit::scheduler_harness<2, 4> w;
  int runs = 0;
  std::array<cancellable, 4> timers;
  for (int each = 0; each < 4; ++each) {
    auto timer = w.timers().schedule_once(5ms + each * tick_length, [&] { ++runs; });
    ASSERT_TRUE(timer.has_value());
    timers[static_cast<std::size_t>(each)] = *std::move(timer);
  }
  for (int now = 1; now <= 4; ++now) {
    w.clock().advance(tick_length);
    EXPECT_EQ(runs, now);
  }
}

// case: SW-02
TEST(scheduler_once, several_ticks_at_once_fire_in_order) {
  testkit::scheduler_harness<2, 4> w;
  run_order order;
  for (int each = 3; each >= 0; --each) {
    const auto delay = 5ms + each * tick_length;
    ASSERT_TRUE(w.timers().schedule_once(delay, order.note(each)).has_value());
  }

  w.clock().jump(4 * tick_length);
  EXPECT_TRUE(order.is_ascending(4));
  EXPECT_TRUE(w.assert_monotonic());
}

// spec: T4
// case: SW-03
TEST(scheduler_once, a_timer_that_is_overdue_before_the_driver_knows_it_fires_on_the_first_poll) {
  world w;
  int runs = 0;
  const auto timer = w.timers().schedule_once(3 * tick_length, [&] { ++runs; });
  ASSERT_TRUE(timer.has_value());

  w.clock().jump(5 * tick_length);

  EXPECT_EQ(runs, 1);
  EXPECT_EQ(w.timers().metrics().drift_last_ns, 20'000'000u);
}

// spec: T3 T4
TEST(scheduler_once, overdue_timers_fire_by_deadline_even_if_unknown_to_the_driver) {
  world w;
  run_order order;
  const auto known = w.timers().schedule_once(8 * tick_length, order.note(1));
  (void)w.timers().poll();
  const auto last = w.timers().schedule_once(9 * tick_length, order.note(2));
  const auto first = w.timers().schedule_once(3 * tick_length, order.note(0));

  w.clock().jump(10 * tick_length);

  EXPECT_TRUE(order.is_ascending(3));
  EXPECT_TRUE(w.assert_monotonic());
  EXPECT_EQ(w.timers().metrics().drift_last_ns, 70'000'000u);
  EXPECT_TRUE(known->is_completed() && last->is_completed() && first->is_completed());
}

// case: SW-09
TEST(scheduler_once, delays_round_the_edges_of_the_wheel_are_exact) {
  constexpr std::array<int, 9> delays{7, 8, 9, 63, 64, 65, 4095, 4096, 4097};
  world w;
  std::array<std::uint64_t, 9> fired_at{};
  std::array<cancellable, 9> timers;
  for (std::size_t each = 0; each < delays.size(); ++each) {
    auto timer = w.timers().schedule_once(delays[each] * tick_length, [&w, at = &fired_at[each]] {
      *at = w.clock().now().ticks / 10'000'000;
    });
    ASSERT_TRUE(timer.has_value());
    timers[each] = *std::move(timer);
  }
  w.clock().advance(5000 * tick_length);
  for (std::size_t each = 0; each < delays.size(); ++each)
    EXPECT_EQ(fired_at[each], static_cast<std::uint64_t>(delays[each]));
}

// spec: T8
// case: SW-18
TEST(scheduler_once, without_timers_there_is_no_next_deadline) {
  world w;
  EXPECT_EQ(w.timers().next_deadline(), std::nullopt);
  auto timer = w.timers().schedule_once(20ms, [] {});
  ASSERT_TRUE(timer.has_value());
  EXPECT_EQ(w.timers().next_deadline(), tick{2});

  timer->cancel();
  EXPECT_EQ(w.timers().next_deadline(), std::nullopt);
  EXPECT_EQ(w.timers().poll().next_deadline, std::nullopt);
}

// spec: K1
TEST(scheduler_once, now_inside_a_callable_is_its_own_deadline) {
  world w;
  std::array<std::uint64_t, 2> seen{};
  const auto first = w.timers().schedule_once(20ms, [&] { seen[0] = w.clock().now().ticks; });
  const auto second = w.timers().schedule_once(70ms, [&] { seen[1] = w.clock().now().ticks; });

  w.clock().advance(105ms);
  EXPECT_EQ(seen[0], 20'000'000u);
  EXPECT_EQ(seen[1], 70'000'000u);
  EXPECT_EQ(w.clock().now().ticks, 105'000'000u);
  EXPECT_TRUE(first->is_completed() && second->is_completed());
}

// A callable that schedules itself again until none is left.
struct countdown {
  world* w;
  int left = 5;
  std::uint64_t last_at = 0;

  void start() {
    EXPECT_TRUE(w->timers().schedule_once(tick_length, [this] { run(); }).has_value());
  }
  void run() {
    last_at = w->clock().now().ticks;
    if (--left > 0) start();
  }
};

// spec: T4 S1a
TEST(scheduler_once, a_callable_may_schedule_the_next_and_that_counts_from_its_own_now) {
  world w;
  countdown all{.w = &w};
  all.start();

  w.clock().advance(1s);
  EXPECT_EQ(all.left, 0);
  EXPECT_EQ(all.last_at, 50'000'000u);
  EXPECT_TRUE(w.check_invariants());
}

// A source of one block.
class one_block final : public block_source {
public:
  [[nodiscard]] void* allocate(std::size_t size, std::size_t alignment) noexcept override {
    if (in_use || size > sizeof(storage_) || alignment > alignof(std::max_align_t)) return nullptr;
    in_use = true;
    return storage_;
  }
  void release(void* block, std::size_t size, std::size_t /*alignment*/) noexcept override {
    EXPECT_TRUE(block == storage_ && size <= sizeof(storage_));
    in_use = false;
  }
  bool in_use = false;

private:
  alignas(std::max_align_t) std::byte storage_[64];
};

// spec: S1c S13
TEST(scheduler_once, a_large_callable_needs_a_block_and_gives_it_back) {
  one_block blocks;
  world w{{}, &blocks};
  const std::array<std::uint32_t, 8> numbers{1, 2, 3, 4, 5, 6, 7, 8};
  std::uint32_t sum = 0;
  const auto large = [numbers, &sum] {
    for (const std::uint32_t each : numbers)
      sum += each;
  };
  auto first = w.timers().schedule_once(20ms, large);
  ASSERT_TRUE(first.has_value());
  const auto second = w.timers().schedule_once(20ms, large);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error(), scheduler_error::capacity_exceeded);
  EXPECT_EQ(w.timers().metrics().active_total, 1u);
  EXPECT_TRUE(w.check_invariants());

  EXPECT_TRUE(first->cancel());
  EXPECT_FALSE(blocks.in_use);
  const auto third = w.timers().schedule_once(20ms, large);
  ASSERT_TRUE(third.has_value());
  w.clock().advance(20ms);
  EXPECT_EQ(sum, 36u);
  EXPECT_FALSE(blocks.in_use);
}

// spec: S1c
TEST(scheduler_once, a_large_callable_without_blocks_is_refused_and_leaves_nothing_behind) {
  world w{{}, nullptr};
  const std::array<std::uint32_t, 8> numbers{};
  const auto refused = [&](duration delay) {
    const auto timer = w.timers().schedule_once(delay, [numbers] { (void)numbers; });
    return !timer && timer.error() == scheduler_error::capacity_exceeded;
  };
  for (int round = 0; round < 100; ++round) {
    EXPECT_TRUE(refused(20ms));
    EXPECT_TRUE(refused(500ms));  // far: capacity of the overflow was reserved
  }
  EXPECT_EQ(w.timers().metrics().refused_total, 200u);
  EXPECT_TRUE(w.check_invariants());
  EXPECT_TRUE(w.check_nothing_left());
}

// spec: S11 S3
TEST(scheduler_once, a_one_shot_that_fails_is_reported_and_cancelled_and_the_others_continue) {
  world w;
  int runs = 0;
  auto failing = w.timers().schedule_once(
      20ms, []() -> std::expected<void, int> { return std::unexpected{7}; });
  const auto other = w.timers().schedule_once(20ms, [&] { ++runs; });
  ASSERT_TRUE(failing.has_value() && other.has_value());

  w.clock().advance(20ms);
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(failing->is_cancelled());
  EXPECT_FALSE(failing->cancel());
  EXPECT_EQ(w.timers().metrics().handler_failures_total, 1u);
  EXPECT_EQ(w.timers().metrics().cancelled_total, 1u);
  EXPECT_EQ(w.timers().metrics().dropped_total, 0u);
  EXPECT_TRUE(w.check_invariants());
}

#if defined(__cpp_exceptions)
// spec: S11
TEST(scheduler_once, a_one_shot_that_throws_is_caught) {
  world w;
  const auto failing = w.timers().schedule_once(20ms, [] { throw 1; });
  ASSERT_TRUE(failing.has_value());

  w.clock().advance(20ms);
  EXPECT_TRUE(failing->is_cancelled());
  EXPECT_EQ(w.timers().metrics().handler_failures_total, 1u);
  EXPECT_TRUE(w.check_invariants());
}

// It may be moved, but its copy throws.
struct uncopied {
  uncopied() = default;
  uncopied(uncopied&&) noexcept = default;
  uncopied(const uncopied&) { throw 1; }
  uncopied& operator=(const uncopied&) = delete;
  uncopied& operator=(uncopied&&) = delete;
  ~uncopied() = default;
  void operator()() const {}
};

TEST(scheduler_once, a_callable_whose_copy_throws_throws_in_its_caller) {
  world w;
  const uncopied callable;
  EXPECT_ANY_THROW((void)w.timers().schedule_once(20ms, callable));
  EXPECT_ANY_THROW((void)w.timers().schedule_at_fixed_rate(20ms, 20ms, callable));
  EXPECT_ANY_THROW((void)w.timers().schedule_with_fixed_delay(20ms, 20ms, callable));
  EXPECT_EQ(w.timers().metrics().scheduled_total, 0u);
  EXPECT_TRUE(w.timers().schedule_once(20ms, uncopied{}).has_value());
  w.clock().advance(20ms);
  EXPECT_EQ(w.timers().metrics().completed_total, 1u);
  EXPECT_TRUE(w.check_nothing_left());
}
#endif

int calls_of_a_function = 0;
void count_a_call() {
  ++calls_of_a_function;
}

// spec: S1a
TEST(scheduler_once, a_function_runs_by_its_name) {
  world w;
  calls_of_a_function = 0;
  ASSERT_TRUE(w.timers().schedule_once(10ms, count_a_call).has_value());
  ASSERT_TRUE(w.timers().schedule_once(10ms, &count_a_call).has_value());
  w.clock().advance(10ms);
  EXPECT_EQ(calls_of_a_function, 2);
}

// spec: T6
TEST(scheduler_once, the_highest_frequency_is_one_run_per_tick) {
  scheduler_config config;
  config.timing.resolution = 1ms;
  world w{config};
  EXPECT_EQ(w.timers().max_frequency(), 1000.0);
}

}  // namespace
}  // namespace tactor
