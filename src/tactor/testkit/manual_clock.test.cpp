// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/manual_clock.hpp"

#include "tactor/base/ring.hpp"
#include "tactor/core/timing/deadline.hpp"
#include "tactor/core/timing/timer_wheel.hpp"
#include "tactor/core/timing/timing_config.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tactor::testkit {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

// The smallest thing a clock can drive: a wheel that notes when each of its timers fired. Negative
// periods: one-shot.
class alarm_clock final : public clock_driven {
public:
  struct note {
    std::size_t timer;
    std::uint64_t at_ns;
    friend bool operator==(const note&, const note&) = default;
  };

  alarm_clock(manual_clock& clock, duration resolution)
      : clock_(clock),
        resolution_(resolution),
        wheel_(storage_.view(), tick_at(clock.now(), resolution), {.resolution = resolution}) {
    clock_.attach(*this);
  }
  ~alarm_clock() { clock_.detach(*this); }
  alarm_clock(const alarm_clock&) = delete;
  alarm_clock& operator=(const alarm_clock&) = delete;

  void ring_in(std::size_t timer, duration delay, std::uint64_t period_ticks = 0) {
    periods_[timer] = period_ticks;
    const auto deadline = deadline_after(clock_.now(), delay, resolution_);
    ASSERT_TRUE(deadline.has_value());
    ASSERT_TRUE(wheel_.insert(timers_[timer], *deadline).has_value());
  }
  bool cancel(std::size_t timer) { return wheel_.cancel(timers_[timer]); }

  [[nodiscard]] std::optional<timer_instant> next_poll() const noexcept override {
    const auto next = wheel_.next_deadline();
    if (!next) return std::nullopt;
    return timer_instant{.ticks = next->count,
                         .resolution_ns = static_cast<std::uint32_t>(resolution_.nanoseconds())};
  }
  void poll() noexcept override {
    ++looks;
    const tick now = tick_at(clock_.now(), resolution_);
    while (timer_entry* due = wheel_.pop_due(now)) {
      const auto timer = static_cast<std::size_t>(due - timers_.data());
      (void)notes.push({.timer = timer, .at_ns = clock_.now().ticks});
      if (periods_[timer] == 0) continue;
      (void)wheel_.insert(*due, later_by(due->deadline(), periods_[timer]));
    }
  }

  ring<note> notes{note_room_};
  int looks = 0;

private:
  manual_clock& clock_;
  duration resolution_;
  std::array<note, 32> note_room_{};
  static_timing_storage<8, 4> storage_;  // below the timers
  std::array<timer_entry, 4> timers_{};
  std::array<std::uint64_t, 4> periods_{};
  timer_wheel wheel_;
};

// case: SM-05
TEST(manual_clock, moves_by_exactly_what_it_is_told) {
  manual_clock clock;
  EXPECT_EQ(clock.now().ticks, 0u);
  EXPECT_EQ(clock.kind(), clock_kind::deterministic);

  clock.advance(250us);
  clock.advance(1ns);
  clock.jump(2s);
  clock.advance(0s);

  EXPECT_EQ(clock.now(), (timer_instant{.ticks = 2'000'250'001, .resolution_ns = 1}));
}

// spec: K1
TEST(manual_clock, advancing_stops_at_each_deadline_while_it_fires) {
  manual_clock clock;
  alarm_clock alarm{clock, 10ms};
  alarm.ring_in(0, 25ms);
  alarm.ring_in(1, 100ms);

  clock.advance(105ms);

  ASSERT_EQ(alarm.notes.size(), 2u);
  EXPECT_EQ(alarm.notes[0], (alarm_clock::note{.timer = 0, .at_ns = 30'000'000}));
  EXPECT_EQ(alarm.notes[1], (alarm_clock::note{.timer = 1, .at_ns = 100'000'000}));
  EXPECT_EQ(clock.now().ticks, 105'000'000u);
}

// spec: K1
TEST(manual_clock, advancing_misses_no_run_of_work_that_is_scheduled_on_the_way) {
  manual_clock clock;
  alarm_clock alarm{clock, 10ms};
  alarm.ring_in(0, 50ms, 5);

  clock.advance(120ms);
  EXPECT_EQ(alarm.notes.size(), 2u);
  clock.advance(30ms);

  ASSERT_EQ(alarm.notes.size(), 3u);
  EXPECT_EQ(alarm.notes[2].at_ns, 150'000'000u);
}

// spec: K1
TEST(manual_clock, jumping_moves_first_and_polls_once) {
  manual_clock clock;
  alarm_clock alarm{clock, 10ms};
  alarm.ring_in(0, 10ms);
  alarm.ring_in(1, 20ms);

  clock.jump(50ms);

  EXPECT_EQ(alarm.looks, 1);
  ASSERT_EQ(alarm.notes.size(), 2u);
  EXPECT_EQ(alarm.notes[0], (alarm_clock::note{.timer = 0, .at_ns = 50'000'000}));
  EXPECT_EQ(alarm.notes[1], (alarm_clock::note{.timer = 1, .at_ns = 50'000'000}));
}

// spec: K1
// case: SM-06
TEST(manual_clock, going_to_the_next_deadline_runs_that_tick_only) {
  manual_clock clock;
  alarm_clock alarm{clock, 10ms};
  EXPECT_FALSE(clock.advance_to_next());
  alarm.ring_in(0, 30ms);
  alarm.ring_in(1, 30ms);
  alarm.ring_in(2, 40ms);

  EXPECT_TRUE(clock.advance_to_next());

  EXPECT_EQ(clock.now().ticks, 30'000'000u);
  EXPECT_EQ(alarm.notes.size(), 2u);
  EXPECT_TRUE(clock.advance_to_next());
  EXPECT_FALSE(clock.advance_to_next());
  EXPECT_EQ(clock.now().ticks, 40'000'000u);
}

// spec: K1
// case: SM-07
TEST(manual_clock, steps_shorter_than_a_tick_add_up) {
  manual_clock clock;
  alarm_clock alarm{clock, 1ms};
  alarm.ring_in(0, 1ms);

  for (int step = 0; step < 3; ++step)
    clock.advance(250us);
  EXPECT_EQ(alarm.notes.size(), 0u);
  clock.advance(250us);

  EXPECT_EQ(alarm.notes.size(), 1u);
  EXPECT_EQ(clock.now().ticks, 1'000'000u);
}

// spec: K1 T8
TEST(manual_clock, a_thousand_million_empty_ticks_cost_no_poll) {
  manual_clock clock;
  alarm_clock alarm{clock, 100us};
  alarm.ring_in(0, 100'001s);

  clock.advance(100'000s);

  EXPECT_EQ(alarm.looks, 0);
  clock.advance(2s);
  EXPECT_EQ(alarm.looks, 1);
}

// spec: T5 K1
TEST(manual_clock, a_clock_that_starts_just_before_the_middle_of_64_bits_goes_on_across_it) {
  constexpr std::uint64_t middle = std::uint64_t{1} << 63;
  manual_clock clock{middle - 200'000'000};
  alarm_clock alarm{clock, 10ms};
  alarm.ring_in(0, 100ms, 10);

  clock.advance(
      510ms);  // the start is between two ticks, so the fifth run is a little later than 500 ms

  EXPECT_EQ(alarm.notes.size(), 5u);
  EXPECT_EQ(clock.now().ticks, middle + 310'000'000);
  EXPECT_LT(alarm.notes[0].at_ns, middle);
  EXPECT_GE(alarm.notes[1].at_ns, middle);
}

TEST(manual_clock, drives_several_by_their_deadlines_and_stops_when_detached) {
  manual_clock clock;
  alarm_clock fast{clock, 1ms};
  {
    alarm_clock slow{clock, 100ms};
    fast.ring_in(0, 1ms, 1);
    slow.ring_in(0, 100ms);
    clock.advance(5ms);
    EXPECT_EQ(fast.notes.size(), 5u);
    EXPECT_EQ(slow.notes.size(), 0u);
  }
  clock.advance(2ms);
  EXPECT_EQ(fast.notes.size(), 7u);
}

// case: SM-08
TEST(manual_clock, the_same_steps_give_the_same_notes) {
  const auto run = [](std::array<alarm_clock::note, 32>& log) {
    manual_clock clock;
    alarm_clock alarm{clock, 1ms};
    std::uint32_t random = 42;
    std::size_t count = 0;
    for (std::size_t round = 0; round < 8; ++round) {
      for (std::size_t timer = 0; timer < 4; ++timer) {
        random = random * 1664525u + 1013904223u;
        alarm.ring_in(timer, std::chrono::microseconds{1 + (random >> 16) % 20'000});
      }
      clock.advance(25ms);
      while (auto note = alarm.notes.pop())
        log[count++] = *note;
    }
    return count;
  };
  std::array<alarm_clock::note, 32> first{};
  std::array<alarm_clock::note, 32> second{};

  EXPECT_EQ(run(first), 32u);
  EXPECT_EQ(run(second), 32u);
  EXPECT_TRUE(first == second);
}

// spec: K4
TEST(manual_clock, is_refused_in_production) {
  const manual_clock clock;

  EXPECT_FALSE(check(timing_config{}, clock, clock_use::production).has_value());
  EXPECT_TRUE(check(timing_config{}, clock, clock_use::test).has_value());
}

}  // namespace
}  // namespace tactor::testkit
