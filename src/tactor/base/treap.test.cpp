// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/treap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using node_map = std::map<std::uint64_t, std::unique_ptr<keyed_node>>;

// How many nodes there are from here on down, in order of their keys, each between the two.
std::size_t count_in_order(const keyed_node* at, std::uint64_t least, std::uint64_t most) {
  if (at == nullptr) return 0;
  EXPECT_GE(at->key, least);
  EXPECT_LE(at->key, most);
  std::size_t count = 1;
  if (at->left != nullptr) count += count_in_order(at->left, least, at->key - 1);
  if (at->right != nullptr) count += count_in_order(at->right, at->key + 1, most);
  return count;
}

std::size_t depth_of(const keyed_node* at) {
  return at == nullptr ? 0 : 1 + std::max(depth_of(at->left), depth_of(at->right));
}

void expect_same(const keyed_tree& tree, const node_map& model) {
  ASSERT_EQ(tree.empty(), model.empty());
  ASSERT_EQ(tree.root() == nullptr, model.empty());
  ASSERT_EQ(count_in_order(tree.root(), 0, ~std::uint64_t{0}), model.size());
}

class a_keyed_tree : public ::testing::TestWithParam<unsigned> {};

// spec: V3
TEST_P(a_keyed_tree, holds_what_a_map_holds) {
  std::mt19937_64 chance{GetParam()};
  keyed_tree tree;
  node_map model;
  // Few keys, so that each comes and goes often; as they are in life: a slot and a generation.
  const std::uint64_t slots = 1 + chance() % 60;
  const auto any_key = [&] { return (chance() % slots) << 32U | (chance() % 4); };

  for (int step = 0; step < 3000; ++step) {
    const std::uint64_t key = any_key();
    const auto known = model.find(key);
    keyed_node* const found = tree.find(key);
    ASSERT_EQ(found, known == model.end() ? nullptr : known->second.get());
    const auto next = model.upper_bound(key);
    ASSERT_EQ(tree.first_that([key](const keyed_node& each) { return each.key > key; }),
              next == model.end() ? nullptr : next->second.get());
    if (found == nullptr) {
      auto fresh = std::make_unique<keyed_node>();
      fresh->key = key;
      tree.insert(*fresh);
      model[key] = std::move(fresh);
    } else if (chance() % 2 == 0) {
      tree.erase(*found);
      model.erase(known);
    }
    if (step % 50 == 0) expect_same(tree, model);
  }
  while (keyed_node* const one = tree.root()) {
    tree.erase(*one);
    ASSERT_EQ(model.erase(one->key), 1U);
    expect_same(tree, model);
  }
  EXPECT_TRUE(model.empty());
}
INSTANTIATE_TEST_SUITE_P(seeds, a_keyed_tree, ::testing::Range(0U, 50U));

// spec: V3
TEST(keyed_tree, stays_flat_whatever_the_order_of_its_keys) {
  constexpr std::size_t many = 10'000;
  const auto depth_with = [](auto key_of) {
    keyed_tree tree;
    std::vector<keyed_node> nodes(many);
    for (std::size_t i = 0; i < many; ++i) {
      nodes[i].key = key_of(i);
      tree.insert(nodes[i]);
    }
    return depth_of(tree.root());
  };
  // Of a random tree of so many nodes the depth is about 30; of a list it would be 10 000.
  EXPECT_LT(depth_with([](std::uint64_t i) { return i << 32U | 1U; }), 60U) << "slots in a row";
  EXPECT_LT(depth_with([](std::uint64_t i) { return (many - i) << 32U | 1U; }), 60U) << "backwards";
  EXPECT_LT(depth_with([](std::uint64_t i) { return std::uint64_t{7} << 32U | i; }), 60U)
      << "tenants of one slot";
  EXPECT_LT(depth_with([](std::uint64_t i) { return (i * 128) << 32U | (2 * i + 1); }), 60U)
      << "far apart";
}

}  // namespace
}  // namespace tactor
