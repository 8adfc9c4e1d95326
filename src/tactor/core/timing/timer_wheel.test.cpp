// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/timing/timer_wheel.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tactor {

using namespace tactor::internal;

namespace {

// A wheel with its storage and entries; `fired` holds the indices of the entries that fired.
template <std::size_t Slots, std::size_t Overflow, std::size_t Entries>
struct bench {
  static_timing_storage<Slots, Overflow> storage;
  std::array<timer_entry, Entries> entries{};
  timer_wheel wheel;
  std::array<std::size_t, Entries> fired{};
  std::size_t fired_count = 0;

  explicit bench(tick start = {}, const timing_config& config = {})
      : wheel(storage.view(), start, config) {}

  [[nodiscard]] bool insert(std::size_t index, std::uint64_t deadline) {
    return wheel.insert(entries[index], tick{deadline}).has_value();
  }
  // Returns: how many fired.
  std::size_t advance(std::uint64_t now) {
    const std::size_t before = fired_count;
    while (timer_entry* due = wheel.pop_due(tick{now})) {
      fired[fired_count++] = static_cast<std::size_t>(due - entries.data());
    }
    return fired_count - before;
  }
};

// spec: T2 T4
TEST(timer_wheel, fires_at_its_tick_and_not_before) {
  bench<8, 4, 1> b;
  EXPECT_TRUE(b.insert(0, 5));
  EXPECT_TRUE(b.entries[0].scheduled());

  EXPECT_EQ(b.advance(4), 0u);
  EXPECT_EQ(b.advance(5), 1u);
  EXPECT_FALSE(b.entries[0].scheduled());
  EXPECT_EQ(b.advance(1000), 0u);
}

// spec: T2
// case: SO-05
TEST(timer_wheel, multiples_of_its_size_fire_neither_a_round_early_nor_late) {
  for (std::uint64_t rounds = 1; rounds <= 3; ++rounds) {
    bench<8, 4, 1> b;
    EXPECT_TRUE(b.insert(0, 8 * rounds));

    EXPECT_EQ(b.advance(8 * rounds - 1), 0u);
    EXPECT_EQ(b.advance(8 * rounds), 1u);
  }
}

// spec: T2 T4
// case: SO-06
TEST(timer_wheel, each_of_many_deadlines_fires_at_its_own_tick) {
  bench<16, 112, 128> b;
  for (std::size_t i = 0; i < 128; ++i)
    EXPECT_TRUE(b.insert(i, i + 1));

  for (std::uint64_t now = 1; now <= 128; ++now) {
    ASSERT_EQ(b.wheel.next_deadline(), std::optional{tick{now}});
    ASSERT_EQ(b.advance(now), 1u);
    ASSERT_EQ(b.fired[b.fired_count - 1], now - 1);
  }
  EXPECT_EQ(b.wheel.next_deadline(), std::nullopt);
}

// spec: T2
// case: SW-09
TEST(timer_wheel, deadlines_round_the_edge_of_the_wheel_are_exact) {
  for (const std::uint64_t deadline : {31u, 32u, 33u, 63u, 64u, 65u, 4095u, 4096u, 4097u}) {
    bench<32, 4, 1> b;
    EXPECT_TRUE(b.insert(0, deadline));

    EXPECT_EQ(b.wheel.next_deadline(), std::optional{tick{deadline}});
    EXPECT_EQ(b.advance(deadline - 1), 0u);
    EXPECT_EQ(b.advance(deadline), 1u);
  }
}

// spec: T3
// case: SO-09
TEST(timer_wheel, one_tick_fires_in_the_order_of_scheduling) {
  bench<8, 4, 10> b;
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_TRUE(b.insert(i, 3));

  EXPECT_EQ(b.advance(3), 10u);
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_EQ(b.fired[i], i);
}

// spec: T3
TEST(timer_wheel, entries_from_the_overflow_fire_before_entries_scheduled_later_into_the_wheel) {
  // With no moves ahead of need (0) and with some (1, 100) the order is the same.
  for (const std::size_t batch_limit : {0u, 1u, 100u}) {
    bench<4, 8, 8> b{tick{}, {.batch_limit = batch_limit}};
    EXPECT_TRUE(b.insert(0, 6));
    EXPECT_TRUE(b.insert(1, 6));
    EXPECT_TRUE(b.insert(2, 6));
    EXPECT_EQ(b.wheel.overflow_size(), 3u);
    EXPECT_EQ(b.advance(2), 0u);  // 6 is in range now

    EXPECT_TRUE(b.insert(3, 6));
    EXPECT_EQ(b.advance(3), 0u);
    EXPECT_TRUE(b.insert(4, 6));
    EXPECT_EQ(b.advance(5), 0u);
    EXPECT_TRUE(b.insert(5, 6));

    EXPECT_EQ(b.advance(6), 6u);
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_EQ(b.fired[i], i);
  }
}

// spec: T3
TEST(timer_wheel, the_order_survives_cancelling_the_last_entry_moved) {
  bench<4, 8, 8> b{tick{}, {.batch_limit = 1}};
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_TRUE(b.insert(i, 6));
  for (const std::uint64_t now : {1u, 2u, 3u})
    EXPECT_EQ(b.advance(now), 0u);
  // 6 has been in range for two ticks: 0 and 1 have moved
  EXPECT_EQ(b.wheel.overflow_size(), 2u);
  EXPECT_TRUE(b.insert(4, 6));

  EXPECT_TRUE(b.wheel.cancel(b.entries[1]));
  EXPECT_EQ(b.advance(4), 0u);  // 2 moves: behind 0, ahead of 4
  EXPECT_TRUE(b.wheel.cancel(b.entries[2]));
  EXPECT_TRUE(b.wheel.cancel(b.entries[0]));

  EXPECT_EQ(b.advance(6), 2u);
  EXPECT_EQ(b.fired[0], 3u);
  EXPECT_EQ(b.fired[1], 4u);
}

// spec: T2
TEST(timer_wheel, a_lone_far_timer_and_many_that_share_one_far_tick_fire_on_time) {
  // The batch limit bounds only what is moved ahead of need.
  bench<4, 64, 64> b{tick{}, {.batch_limit = 1}};
  for (std::size_t i = 0; i < 64; ++i)
    EXPECT_TRUE(b.insert(i, 1000));

  EXPECT_EQ(b.advance(999), 0u);
  EXPECT_EQ(b.advance(1000), 64u);
  for (std::size_t i = 0; i < 64; ++i)
    EXPECT_EQ(b.fired[i], i);
}

// spec: T2
TEST(timer_wheel, moves_what_comes_into_range_on_every_tick_at_most_its_batch) {
  bench<4, 8, 8> b{tick{}, {.batch_limit = 2}};
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_TRUE(b.insert(i, 8));
  EXPECT_EQ(b.wheel.overflow_size(), 6u);

  EXPECT_EQ(b.advance(3), 0u);
  EXPECT_EQ(b.wheel.overflow_size(), 6u);  // 8 is five ticks ahead of 3
  EXPECT_EQ(b.advance(4), 0u);
  EXPECT_EQ(b.wheel.overflow_size(), 4u);
  EXPECT_EQ(b.advance(6), 0u);
  EXPECT_EQ(b.wheel.overflow_size(), 0u);  // two ticks passed
  EXPECT_EQ(b.advance(8), 6u);
}

// case: SW-01
TEST(timer_wheel, a_wheel_of_two_slots_fires_one_per_tick) {
  bench<2, 4, 4> b;
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_TRUE(b.insert(i, i + 1));

  for (std::uint64_t now = 1; now <= 4; ++now) {
    EXPECT_EQ(b.advance(now), 1u);
    EXPECT_EQ(b.fired[static_cast<std::size_t>(now - 1)], now - 1);
  }
}

// case: SW-02
TEST(timer_wheel, several_ticks_at_once_fire_all_in_order) {
  bench<2, 4, 4> b;
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_TRUE(b.insert(3 - i, 4 - i));

  EXPECT_EQ(b.advance(4), 4u);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(b.fired[i], i);
}

// case: SO-11
TEST(timer_wheel, an_earlier_timer_added_after_a_poll_comes_first) {
  bench<8, 4, 2> b;
  EXPECT_TRUE(b.insert(0, 10));
  EXPECT_EQ(b.advance(1), 0u);
  EXPECT_EQ(b.wheel.next_deadline(), std::optional{tick{10}});

  EXPECT_TRUE(b.insert(1, 3));

  EXPECT_EQ(b.wheel.next_deadline(), std::optional{tick{3}});
  EXPECT_EQ(b.advance(3), 1u);
  EXPECT_EQ(b.fired[0], 1u);
}

// spec: T8
// case: SW-18
TEST(timer_wheel, without_entries_there_is_no_next_deadline) {
  bench<8, 4, 2> b;
  EXPECT_EQ(b.wheel.next_deadline(), std::nullopt);
  EXPECT_EQ(b.advance(100), 0u);

  EXPECT_TRUE(b.insert(0, 105));
  EXPECT_TRUE(b.insert(1, 200));
  EXPECT_EQ(b.wheel.next_deadline(), std::optional{tick{105}});
  EXPECT_TRUE(b.wheel.cancel(b.entries[0]));
  EXPECT_EQ(b.wheel.next_deadline(), std::optional{tick{200}});
  EXPECT_TRUE(b.wheel.cancel(b.entries[1]));
  EXPECT_EQ(b.wheel.next_deadline(), std::nullopt);
  EXPECT_EQ(b.wheel.size(), 0u);
}

// spec: T8
TEST(timer_wheel, the_next_deadline_is_exact_wherever_the_entry_is) {
  // Every slot of a wheel larger than one word of its bitmap, from two positions.
  for (const std::uint64_t start : {0u, 77u}) {
    for (std::uint64_t ahead = 1; ahead <= 300; ++ahead) {
      bench<256, 4, 1> b{tick{start}};
      EXPECT_TRUE(b.insert(0, start + ahead));
      ASSERT_EQ(b.wheel.next_deadline(), std::optional{tick{start + ahead}});
    }
  }
}

// spec: T8
TEST(timer_wheel, the_next_deadline_is_exact_when_the_entry_before_was_cancelled) {
  bench<8, 4, 2> b;
  EXPECT_TRUE(b.insert(0, 2));
  EXPECT_TRUE(b.insert(1, 5));
  EXPECT_TRUE(b.wheel.cancel(b.entries[0]));
  EXPECT_EQ(b.wheel.next_deadline(), std::optional{tick{5}});
}

TEST(timer_wheel, cancelling_works_wherever_the_entry_is_and_only_once) {
  bench<8, 4, 3> b;
  EXPECT_TRUE(b.insert(0, 2));    // in the wheel
  EXPECT_TRUE(b.insert(1, 100));  // in the overflow
  EXPECT_TRUE(b.insert(2, 1));

  EXPECT_TRUE(b.wheel.cancel(b.entries[0]));
  EXPECT_FALSE(b.wheel.cancel(b.entries[0]));
  EXPECT_TRUE(b.wheel.cancel(b.entries[1]));
  EXPECT_FALSE(b.wheel.cancel(b.entries[1]));

  EXPECT_EQ(b.advance(1000), 1u);
  EXPECT_EQ(b.fired[0], 2u);
  EXPECT_FALSE(b.wheel.cancel(b.entries[2]));  // it has fired
}

TEST(timer_wheel, what_is_due_can_be_cancelled_until_it_is_handed_out) {
  bench<8, 4, 3> b;
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_TRUE(b.insert(i, 5));

  EXPECT_EQ(b.wheel.pop_due(tick{5}), &b.entries[0]);
  EXPECT_EQ(b.wheel.next_deadline(), std::optional{tick{5}});  // there is more
  EXPECT_TRUE(b.wheel.cancel(b.entries[1]));

  EXPECT_EQ(b.wheel.pop_due(tick{5}), &b.entries[2]);
  EXPECT_EQ(b.wheel.pop_due(tick{5}), nullptr);
  EXPECT_EQ(b.wheel.size(), 0u);
}

// spec: T4
TEST(timer_wheel, a_deadline_that_has_passed_fires_on_the_next_tick_and_not_in_the_same_poll) {
  bench<8, 4, 2> b{tick{100}};
  EXPECT_TRUE(b.insert(0, 105));
  EXPECT_EQ(b.wheel.pop_due(tick{105}), &b.entries[0]);

  EXPECT_TRUE(b.insert(0, 50));  // like a callback that re-arms itself into the past

  EXPECT_EQ(b.wheel.pop_due(tick{105}), nullptr);
  EXPECT_EQ(b.wheel.next_deadline(), std::optional{tick{106}});
  EXPECT_EQ(b.wheel.pop_due(tick{106}), &b.entries[0]);
}

// case: SW-03
TEST(timer_wheel, an_entry_inserted_after_its_deadline_fires_on_the_first_poll) {
  bench<8, 4, 2> b;
  EXPECT_TRUE(b.insert(0, 3));
  EXPECT_TRUE(b.insert(1, 2));

  EXPECT_EQ(b.advance(5), 2u);
  EXPECT_EQ(b.fired[0], 1u);
  EXPECT_EQ(b.fired[1], 0u);
}

// spec: T2
TEST(timer_wheel, a_full_overflow_refuses_far_entries_and_never_near_ones) {
  bench<4, 2, 8> b;
  EXPECT_TRUE(b.insert(0, 100));
  EXPECT_TRUE(b.insert(1, 100));

  EXPECT_FALSE(b.insert(2, 100));
  EXPECT_FALSE(b.entries[2].scheduled());
  EXPECT_EQ(b.wheel.size(), 2u);
  EXPECT_TRUE(b.insert(3, 4));
  EXPECT_TRUE(b.insert(4, 4));

  EXPECT_EQ(b.advance(99), 2u);
  EXPECT_TRUE(b.insert(2, 200));
  EXPECT_EQ(b.advance(100), 2u);
}

// spec: T2
TEST(timer_wheel, a_full_overflow_first_releases_what_has_come_into_range) {
  bench<4, 2, 4> b{tick{}, {.batch_limit = 0}};
  EXPECT_TRUE(b.insert(0, 10));
  EXPECT_TRUE(b.insert(1, 10));
  EXPECT_EQ(b.advance(7), 0u);
  EXPECT_EQ(b.wheel.overflow_size(), 2u);  // in range, but nothing moves ahead of need

  EXPECT_TRUE(b.insert(2, 100));
  EXPECT_TRUE(b.insert(3, 10));

  EXPECT_EQ(b.advance(10), 3u);
  EXPECT_EQ(b.fired[0], 0u);
  EXPECT_EQ(b.fired[1], 1u);
  EXPECT_EQ(b.fired[2], 3u);
}

// spec: T8
// case: SW-11
TEST(timer_wheel, time_passes_in_one_step_however_far) {
  bench<8, 4, 1> b;
  constexpr std::uint64_t far = std::uint64_t{1} << 35;

  EXPECT_EQ(b.advance(far), 0u);
  EXPECT_EQ(b.advance(2 * far), 0u);
  EXPECT_TRUE(b.insert(0, 2 * far + 1));
  EXPECT_EQ(b.wheel.overflow_size(), 0u);

  EXPECT_EQ(b.advance(2 * far), 0u);
  EXPECT_EQ(b.advance(2 * far + 1), 1u);
}

// spec: T5
TEST(timer_wheel, ticks_past_32_bits_and_up_to_the_end_of_time_are_like_any_others) {
  constexpr std::uint64_t end = tick::max().count;
  for (const std::uint64_t start : {std::uint64_t{0xFFFF'FFFA}, std::uint64_t{1} << 63, end - 20}) {
    bench<8, 4, 3> b{tick{start}};
    EXPECT_TRUE(b.insert(0, start + 3));
    EXPECT_TRUE(b.insert(1, start + 8));
    EXPECT_TRUE(b.insert(2, start + 16));

    EXPECT_EQ(b.advance(start + 2), 0u);
    EXPECT_EQ(b.advance(start + 3), 1u);
    EXPECT_EQ(b.advance(start + 15), 1u);
    EXPECT_EQ(b.advance(start + 16), 1u);
  }
}

// spec: T5
TEST(timer_wheel, a_deadline_at_the_end_of_time_never_comes_but_can_be_cancelled) {
  bench<8, 4, 1> b{tick{tick::max().count - 2}};
  EXPECT_TRUE(b.insert(0, tick::max().count));

  EXPECT_EQ(b.advance(tick::max().count), 0u);
  EXPECT_TRUE(b.wheel.cancel(b.entries[0]));
  EXPECT_EQ(b.wheel.next_deadline(), std::nullopt);
}

// spec: T5
TEST(timer_wheel, a_wheel_that_starts_at_the_end_of_time_still_knows_where_its_entries_are) {
  bench<8, 4, 2> b{tick::max()};
  EXPECT_TRUE(b.insert(0, tick::max().count));
  EXPECT_TRUE(b.insert(1, tick::max().count));

  EXPECT_TRUE(b.wheel.cancel(b.entries[0]));
  EXPECT_TRUE(b.wheel.cancel(b.entries[1]));
  EXPECT_EQ(b.wheel.next_deadline(), std::nullopt);
}

TEST(timer_wheel, evicting_takes_the_newest_of_a_rank_out_of_the_overflow) {
  bench<4, 8, 4> b;
  b.entries[1].set_rank(1);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_TRUE(b.insert(i, 100 + i));
  EXPECT_TRUE(b.insert(3, 2));  // near: not in the overflow
  EXPECT_EQ(b.wheel.overflow_size(0), 2u);
  EXPECT_EQ(b.wheel.overflow_size(1), 1u);

  EXPECT_EQ(b.wheel.evict_newest(0), &b.entries[2]);
  EXPECT_EQ(b.wheel.evict_newest(0), &b.entries[0]);
  EXPECT_EQ(b.wheel.evict_newest(0), nullptr);

  EXPECT_EQ(b.wheel.size(), 2u);
  EXPECT_EQ(b.advance(200), 2u);
  EXPECT_EQ(b.wheel.overflow_size(1), 0u);
}

TEST(timer_wheel, catching_up_fires_nothing_and_brings_near_what_is_near) {
  bench<4, 4, 3> b{tick{}, {.batch_limit = 100}};
  EXPECT_TRUE(b.insert(0, 50));

  b.wheel.catch_up(tick{48});
  EXPECT_EQ(b.wheel.position(), tick{48});
  EXPECT_EQ(b.wheel.overflow_size(), 0u);
  EXPECT_TRUE(b.insert(1, 50));

  b.wheel.catch_up(tick{60});
  EXPECT_EQ(b.wheel.position(), tick{49});  // due entries stay until they are popped
  EXPECT_EQ(b.advance(60), 2u);
  EXPECT_EQ(b.fired[0], 0u);
  EXPECT_EQ(b.fired[1], 1u);
}

// spec: T2
TEST(timer_wheel, entries_that_are_due_are_not_those_of_the_same_slot_one_turn_later) {
  for (const std::size_t cancelled : {1u, 2u, 3u, 4u, 5u}) {
    bench<8, 4, 6> b;
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_TRUE(b.insert(i, 5));
    EXPECT_EQ(b.wheel.pop_due(tick{5}), &b.entries[0]);
    EXPECT_TRUE(b.insert(4, 13));
    EXPECT_TRUE(b.insert(5, 13));
    EXPECT_EQ(b.entries[cancelled].deadline(), tick{cancelled < 4 ? 5u : 13u});

    EXPECT_TRUE(b.wheel.cancel(b.entries[cancelled]));

    EXPECT_EQ(b.advance(5), cancelled < 4 ? 2u : 3u);
    EXPECT_EQ(b.wheel.next_deadline(), std::optional{tick{13}});
    EXPECT_EQ(b.advance(12), 0u);
    EXPECT_EQ(b.advance(13), cancelled < 4 ? 2u : 1u);
    EXPECT_EQ(b.wheel.size(), 0u);
    EXPECT_EQ(b.wheel.next_deadline(), std::nullopt);
  }
}

TEST(timer_wheel, an_entry_knows_its_deadline_before_meanwhile_and_after) {
  bench<8, 4, 3> b;
  b.entries[0].set_deadline(tick{0x1'0000'0003});
  EXPECT_EQ(b.entries[0].deadline(), tick{0x1'0000'0003});
  EXPECT_TRUE(b.insert(0, 3));
  EXPECT_TRUE(b.insert(1, 8));
  EXPECT_TRUE(b.insert(2, 0x1'0000'0005));
  EXPECT_EQ(b.entries[0].deadline(), tick{3});
  EXPECT_EQ(b.entries[1].deadline(), tick{8});
  EXPECT_EQ(b.entries[2].deadline(), tick{0x1'0000'0005});

  EXPECT_EQ(b.advance(10), 2u);
  EXPECT_EQ(b.entries[0].deadline(), tick{3});
  EXPECT_EQ(b.entries[1].deadline(), tick{8});
  EXPECT_EQ(b.wheel.evict_newest(0), &b.entries[2]);
  EXPECT_EQ(b.entries[2].deadline(), tick{0x1'0000'0005});
}

TEST(timer_entry, keeps_its_rank_while_it_is_scheduled_and_afterwards) {
  bench<8, 4, 1> b;
  timer_entry& entry = b.entries[0];
  entry.set_rank(2);
  EXPECT_FALSE(entry.scheduled());
  EXPECT_EQ(entry.rank(), 2u);

  EXPECT_TRUE(b.insert(0, 5));
  EXPECT_EQ(entry.rank(), 2u);
  EXPECT_TRUE(b.wheel.cancel(entry));
  EXPECT_EQ(entry.rank(), 2u);
}

// spec: T3
// case: SO-10
TEST(timer_wheel, random_delays_fire_by_deadline_then_by_order_of_scheduling) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    bench<16, 128, 128> b;
    std::uint32_t random = seed;
    for (std::size_t i = 0; i < 128; ++i) {
      random = random * 1664525u + 1013904223u;
      ASSERT_TRUE(b.insert(i, 1 + (random >> 16) % 64));
    }
    std::array<std::uint64_t, 128> deadlines{};
    for (std::size_t i = 0; i < 128; ++i)
      deadlines[i] = b.entries[i].deadline().count;

    ASSERT_EQ(b.advance(64), 128u);

    for (std::size_t i = 1; i < 128; ++i) {
      const std::size_t earlier = b.fired[i - 1];
      const std::size_t later = b.fired[i];
      const bool in_order = deadlines[earlier] < deadlines[later] ||
                            (deadlines[earlier] == deadlines[later] && earlier < later);
      ASSERT_TRUE(in_order);
    }
  }
}

}  // namespace
}  // namespace tactor
