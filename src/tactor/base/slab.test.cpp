// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/slab.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace tactor {

using namespace tactor::internal;

namespace {

using storage = std::array<slab_slot<int>, 2>;

TEST(slab, gives_out_each_slot_once_and_then_none) {
  storage slots{};
  slab<int> pool{slots};

  const auto first = pool.take();
  const auto second = pool.take();

  EXPECT_NE(first.object, nullptr);
  EXPECT_NE(second.object, nullptr);
  EXPECT_NE(first.object, second.object);
  EXPECT_EQ(pool.take().object, nullptr);
  EXPECT_EQ(pool.capacity(), 2u);
}

TEST(slab, a_name_means_its_tenancy_and_no_later_one) {
  storage slots{};
  slab<int> pool{slots};
  const auto first = pool.take();
  EXPECT_EQ(pool.find(first.name), first.object);

  EXPECT_TRUE(pool.give_back(first.name));
  EXPECT_EQ(pool.find(first.name), nullptr);

  const auto next = pool.take();
  EXPECT_EQ(next.object, first.object);
  EXPECT_EQ(pool.find(first.name), nullptr);
  EXPECT_EQ(pool.find(next.name), next.object);
}

TEST(slab, giving_back_twice_or_under_an_old_name_does_nothing) {
  storage slots{};
  slab<int> pool{slots};
  const auto first = pool.take();
  EXPECT_TRUE(pool.give_back(first.name));
  EXPECT_FALSE(pool.give_back(first.name));

  const auto next = pool.take();
  EXPECT_FALSE(pool.give_back(first.name));
  EXPECT_EQ(pool.find(next.name), next.object);

  (void)pool.take();
  EXPECT_EQ(pool.take().object, nullptr);
}

TEST(slab, names_that_were_never_given_out_mean_nothing) {
  storage slots{};
  slab<int> pool{slots};
  (void)pool.take();

  EXPECT_EQ(pool.find({}), nullptr);
  EXPECT_EQ(pool.find({.index = 7, .generation = 1}), nullptr);
  EXPECT_EQ(pool.find({.index = 1, .generation = 1}), nullptr);
  EXPECT_EQ(pool.find({.index = 0, .generation = 2}), nullptr);
  EXPECT_FALSE(pool.give_back({}));
  EXPECT_FALSE(pool.give_back({.index = 7, .generation = 1}));
}

TEST(slab, what_was_given_back_last_is_taken_first) {
  storage slots{};
  slab<int> pool{slots};
  const auto a = pool.take();
  const auto b = pool.take();

  pool.give_back(a.name);
  pool.give_back(b.name);

  EXPECT_EQ(pool.take().object, b.object);
  EXPECT_EQ(pool.take().object, a.object);
}

TEST(slab, a_slot_whose_generations_are_used_up_is_retired) {
  std::array<slab_slot<int, std::uint8_t>, 1> slots{};
  slab<int, std::uint8_t> pool{slots};

  int tenancies = 0;
  for (auto taken = pool.take(); taken.object != nullptr; taken = pool.take()) {
    ++tenancies;
    EXPECT_EQ(taken.name.generation, 2 * tenancies - 1);
    EXPECT_TRUE(pool.give_back(taken.name));
  }

  EXPECT_EQ(tenancies, 128);
}

TEST(slab, without_storage_gives_out_nothing) {
  slab<int> pool;

  EXPECT_EQ(pool.take().object, nullptr);
  EXPECT_EQ(pool.find({.index = 0, .generation = 1}), nullptr);
}

}  // namespace
}  // namespace tactor
