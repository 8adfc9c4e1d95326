// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/magazine.hpp"

#include "tactor/port/port.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace tactor {

using namespace tactor::internal;

namespace {

struct node {
  port::plain<node*> next;
};

// Magazines of three, with a record for every three nodes.
using cache = magazine_cache<node, 3>;
using depot = cache::depot;

template <std::size_t Count>
using nodes = std::array<node, Count>;

node_chain<node> chain_of(auto& each) {
  node_chain<node> made;
  for (node& one : each)
    made.push(one);
  return made;
}

std::size_t length_of(const node_chain<node>& chain) {
  std::size_t length = 0;
  for (const node* each = chain.first; each != nullptr; each = each->next.get())
    ++length;
  return length;
}

struct alignas(depot::record_alignment) record_storage {
  std::byte bytes[depot::record_size];
};
constinit std::array<record_storage, 4> records{};

void reserve_records(depot& all) {
  for (record_storage& each : records)
    all.reserve(&each);
}

TEST(magazine_cache, begins_empty_and_gives_what_was_put_last) {
  nodes<2> some;
  depot shared;
  cache mine;
  EXPECT_EQ(mine.try_take(), nullptr);
  EXPECT_EQ(mine.take(shared), nullptr);

  EXPECT_TRUE(mine.try_put(some[0]));
  EXPECT_TRUE(mine.try_put(some[1]));

  EXPECT_EQ(mine.size(), 2u);
  EXPECT_EQ(mine.try_take(), &some[1]);
  EXPECT_EQ(mine.try_take(), &some[0]);
  EXPECT_EQ(mine.try_take(), nullptr);
}

TEST(magazine_cache, keeps_two_magazines_before_it_goes_to_the_depot) {
  nodes<7> some;
  depot shared;
  cache mine;
  for (std::size_t i = 0; i < 6; ++i)
    mine.put(some[i], shared);
  EXPECT_EQ(mine.size(), 6u);
  EXPECT_FALSE(mine.try_put(some[6]));
  EXPECT_EQ(shared.take().count, 0u);

  mine.put(some[6], shared);

  EXPECT_EQ(mine.size(), 4u);
  EXPECT_EQ(shared.take().count, 3u);
}

TEST(magazine_cache, taking_and_putting_by_turns_at_an_edge_leaves_the_depot_alone) {
  nodes<7> some;
  depot shared;
  cache mine;
  for (node& each : some)
    mine.put(each, shared);
  EXPECT_EQ(shared.take().count, 3u);

  for (unsigned turn = 0; turn < 10; ++turn) {
    node* const first = mine.take(shared);
    node* const second = mine.take(shared);
    ASSERT_NE(first, nullptr);
    ASSERT_NE(second, nullptr);
    mine.put(*first, shared);
    mine.put(*second, shared);
    EXPECT_EQ(shared.take().count, 0u);
  }
}

TEST(magazine_cache, takes_a_whole_chain_from_the_depot) {
  nodes<3> some;
  depot shared;
  shared.put(chain_of(some));
  cache mine;

  EXPECT_EQ(mine.take(shared), &some[2]);

  EXPECT_EQ(mine.size(), 2u);
  EXPECT_EQ(shared.take().count, 0u);
}

TEST(magazine_cache, adopts_new_nodes) {
  nodes<3> some;
  depot shared;
  cache mine;
  EXPECT_EQ(mine.take(shared), nullptr);

  mine.adopt(chain_of(some), shared);

  EXPECT_EQ(mine.size(), 3u);
  EXPECT_FALSE(mine.try_put(some[0]));
}

TEST(magazine_cache, without_magazines_leaves_all_nodes_in_the_depot) {
  nodes<3> some;
  magazine_depot<node, 0> shared;
  magazine_cache<node, 0> mine;
  EXPECT_EQ(mine.take(shared), nullptr);

  EXPECT_FALSE(mine.try_put(some[0]));
  mine.put(some[0], shared);
  EXPECT_EQ(mine.try_take(), nullptr);
  EXPECT_EQ(shared.loose().size(), 1u);
  EXPECT_EQ(mine.take(shared), &some[0]);
  EXPECT_EQ(mine.take(shared), nullptr);

  mine.adopt(chain_of(some), shared);
  EXPECT_EQ(shared.loose().size(), 3u);
}

TEST(magazine_cache, gives_all_it_has_to_the_depot) {
  nodes<5> some;
  depot shared;
  reserve_records(shared);
  cache ending;
  for (node& each : some)
    ending.put(each, shared);

  ending.give_all_to(shared);

  EXPECT_EQ(ending.size(), 0u);
  EXPECT_EQ(ending.try_take(), nullptr);
  cache next;
  for (unsigned i = 0; i < 5; ++i)
    EXPECT_NE(next.take(shared), nullptr);
  EXPECT_EQ(next.take(shared), nullptr);
}

TEST(loose_nodes, gives_at_most_what_is_wanted_and_knows_how_many_are_left) {
  nodes<2> some;
  nodes<3> others;
  loose_nodes<node> all;
  EXPECT_EQ(length_of(all.take(1)), 0U);
  all.put(chain_of(some));
  all.put(chain_of(others));
  EXPECT_EQ(all.size(), 5U);

  EXPECT_EQ(length_of(all.take(0)), 0U);
  const node_chain<node> taken = all.take(2);
  EXPECT_EQ(taken.count, 2U);
  EXPECT_EQ(length_of(taken), 2U);
  EXPECT_EQ(all.size(), 3U);
  EXPECT_NE(all.take_one(), nullptr);
  const node_chain<node> rest = all.take(7);
  EXPECT_EQ(rest.count, 2U);
  EXPECT_EQ(length_of(rest), 2U);
  EXPECT_EQ(all.size(), 0U);
  EXPECT_EQ(all.take_one(), nullptr);
}

TEST(magazine_depot, gives_out_every_chain_once) {
  nodes<3> first;
  nodes<3> second;
  depot shared;
  reserve_records(shared);
  shared.put(chain_of(first));
  shared.put(chain_of(second));

  for (unsigned turn = 0; turn < 10; ++turn) {
    const auto one = shared.take();
    const auto other = shared.take();
    EXPECT_EQ(one.count, 3u);
    EXPECT_EQ(length_of(one), 3u);
    EXPECT_EQ(length_of(other), 3u);
    EXPECT_NE(one.first, other.first);
    EXPECT_EQ(shared.take().count, 0u);
    shared.put(one);
    shared.put(other);
  }
}

TEST(magazine_depot, makes_chains_of_what_is_left_over) {
  nodes<1> one;
  nodes<2> two;
  nodes<2> others;
  depot shared;
  shared.put({});
  shared.put(chain_of(one));
  shared.put(chain_of(two));
  shared.put(chain_of(others));

  const auto first = shared.take();
  EXPECT_EQ(first.count, 3u);
  EXPECT_EQ(length_of(first), 3u);
  const auto second = shared.take();
  EXPECT_EQ(second.count, 2u);
  EXPECT_EQ(length_of(second), 2u);
  EXPECT_EQ(shared.take().count, 0u);
}

TEST(magazine_depot, keeps_chains_for_which_there_is_no_record) {
  nodes<3> first;
  nodes<3> second;
  depot without;
  without.put(chain_of(first));
  without.put(chain_of(second));

  EXPECT_EQ(length_of(without.take()), 3u);
  EXPECT_EQ(length_of(without.take()), 3u);
  EXPECT_EQ(without.take().count, 0u);
}

}  // namespace
}  // namespace tactor
