// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/steal_ring.hpp"

#include "tactor/base/memory_source.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace tactor::inline v0::host {

using namespace tactor::internal;

namespace {

using small_ring = steal_ring<4>;

struct cells {
  std::array<ready_cell, 10> all;

  ready_cell& operator[](std::size_t number) { return all[number - 1]; }
  [[nodiscard]] std::size_t number_of(const ready_cell* which) const {
    return which == nullptr ? 0 : static_cast<std::size_t>(which - all.data()) + 1;
  }
};

TEST(steal_ring, gives_the_oldest_first) {
  cells some;
  small_ring wake;
  EXPECT_EQ(wake.pop(), nullptr);
  EXPECT_EQ(wake.front(), nullptr);
  for (std::size_t i = 1; i <= 3; ++i)
    EXPECT_TRUE(wake.push(some[i]));
  EXPECT_EQ(wake.size(), 3u);
  EXPECT_EQ(some.number_of(wake.front()), 1u);
  for (std::size_t i = 1; i <= 3; ++i)
    EXPECT_EQ(some.number_of(wake.pop()), i);
  EXPECT_EQ(wake.pop(), nullptr);
  EXPECT_EQ(wake.size(), 0u);
}

TEST(steal_ring, refuses_a_cell_when_full) {
  cells some;
  small_ring wake;
  for (std::size_t i = 1; i <= 4; ++i)
    EXPECT_TRUE(wake.push(some[i]));
  EXPECT_FALSE(wake.push(some[5]));
  EXPECT_EQ(wake.size(), 4u);
  EXPECT_EQ(some.number_of(wake.pop()), 1u);
  EXPECT_TRUE(wake.push(some[5]));
  EXPECT_FALSE(wake.push(some[6]));
  for (std::size_t i = 2; i <= 5; ++i)
    EXPECT_EQ(some.number_of(wake.pop()), i);
}

TEST(steal_ring, goes_round) {
  cells some;
  small_ring wake;
  for (std::size_t round = 0; round < 100; ++round) {
    EXPECT_TRUE(wake.push(some[round % 10 + 1]));
    EXPECT_TRUE(wake.push(some[(round + 1) % 10 + 1]));
    EXPECT_EQ(wake.position(), 2 * round);
    EXPECT_EQ(some.number_of(wake.pop()), round % 10 + 1);
    EXPECT_EQ(some.number_of(wake.pop()), (round + 1) % 10 + 1);
  }
}

TEST(steal_ring, lets_a_thief_take_the_older_half_rounded_up) {
  for (std::size_t held = 0; held <= 4; ++held) {
    cells some;
    small_ring wake;
    small_ring thief;
    for (std::size_t i = 1; i <= held; ++i)
      EXPECT_TRUE(wake.push(some[i]));
    const std::size_t taken = wake.steal_half_into(thief);
    EXPECT_EQ(taken, (held + 1) / 2);
    EXPECT_EQ(thief.size(), taken);
    for (std::size_t i = 1; i <= taken; ++i)
      EXPECT_EQ(some.number_of(thief.pop()), i);
    for (std::size_t i = taken + 1; i <= held; ++i)
      EXPECT_EQ(some.number_of(wake.pop()), i);
    EXPECT_EQ(wake.pop(), nullptr);
    EXPECT_EQ(thief.pop(), nullptr);
  }
}

TEST(steal_ring, gives_a_thief_no_more_than_its_capacity) {
  cells some;
  small_ring wake;
  small_ring thief;
  for (std::size_t i = 1; i <= 4; ++i)
    EXPECT_TRUE(wake.push(some[i]));
  for (std::size_t i = 5; i <= 7; ++i)
    EXPECT_TRUE(thief.push(some[i]));
  EXPECT_EQ(wake.steal_half_into(thief), 1u);
  EXPECT_EQ(wake.steal_half_into(thief), 0u) << "it is full";
  for (const std::size_t expected : {5u, 6u, 7u, 1u})
    EXPECT_EQ(some.number_of(thief.pop()), expected);
  EXPECT_EQ(wake.size(), 3u);
}

TEST(steal_ring, gives_its_owner_the_oldest_but_no_more_than_half) {
  cells some;
  small_ring wake;
  std::array<ready_cell*, 2> half{};
  EXPECT_EQ(wake.take_oldest(half), 0u);
  EXPECT_TRUE(wake.push(some[1]));
  EXPECT_EQ(wake.take_oldest(half), 0u) << "one is not worth it";
  for (std::size_t i = 2; i <= 4; ++i)
    EXPECT_TRUE(wake.push(some[i]));
  EXPECT_EQ(wake.take_oldest(half), 2u);
  EXPECT_EQ(some.number_of(half[0]), 1u);
  EXPECT_EQ(some.number_of(half[1]), 2u);
  EXPECT_EQ(some.number_of(wake.pop()), 3u);
  EXPECT_EQ(some.number_of(wake.pop()), 4u);
}

TEST(steal_ring, keeps_its_cells_and_their_order_when_it_grows) {
  for (std::size_t taken = 0; taken < 4; ++taken) {
    cells some;
    alignas(64) std::array<std::byte, 4096> memory{};
    static_pages pages{memory};
    small_ring wake;
    for (std::size_t i = 0; i < taken; ++i) {  // so that the oldest is anywhere in the block
      EXPECT_TRUE(wake.push(some[1]));
      EXPECT_NE(wake.pop(), nullptr);
    }
    for (std::size_t i = 1; i <= 4; ++i)
      EXPECT_TRUE(wake.push(some[i]));
    EXPECT_TRUE(wake.grow(pages));
    EXPECT_EQ(wake.capacity(), 8u);
    for (std::size_t i = 5; i <= 8; ++i)
      EXPECT_TRUE(wake.push(some[i]));
    EXPECT_FALSE(wake.push(some[9]));
    small_ring thief;
    EXPECT_EQ(wake.steal_half_into(thief), 2u) << "no more at once, so that few thefts fail";
    EXPECT_EQ(some.number_of(thief.pop()), 1u);
    EXPECT_EQ(some.number_of(thief.pop()), 2u);
    for (std::size_t i = 3; i <= 8; ++i)
      EXPECT_EQ(some.number_of(wake.pop()), i);
  }
}

TEST(steal_ring, does_not_grow_past_its_limit_or_without_memory) {
  cells some;
  static_pages none{{}};
  small_ring wake;
  EXPECT_TRUE(wake.push(some[1]));
  EXPECT_FALSE(wake.grow(none));
  EXPECT_EQ(wake.capacity(), 4u);
  EXPECT_EQ(some.number_of(wake.pop()), 1u);

  alignas(64) std::array<std::byte, 4096> memory{};
  static_pages pages{memory};
  steal_ring<4, 8> limited;
  EXPECT_TRUE(limited.grow(pages));
  EXPECT_FALSE(limited.grow(pages));
  EXPECT_EQ(limited.capacity(), 8u);
}

}  // namespace
}  // namespace tactor::inline v0::host
