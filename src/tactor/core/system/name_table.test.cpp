// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/system/name_table.hpp"

#include "tactor/base/memory_source.hpp"
#include "tactor/core/cell/actor_name.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/port/port.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactor {

using namespace tactor::internal;

namespace {

// A little memory, as on a board.
constexpr std::size_t storage_size = sizeof(void*) == 8 ? 256 * 1024 : 3 * 1024;
constinit page_storage<storage_size> storage{};
constinit static_pages pages{storage.bytes};

/// Blocks that are used once: for the larger tables.
class few_blocks final : public block_source {
public:
  [[nodiscard]] void* allocate(std::size_t size, std::size_t alignment) noexcept override {
    ++given;
    return source_.allocate(size, alignment);
  }
  void release(void*, std::size_t, std::size_t) noexcept override { ++without_parent_suspension; }
  int given = 0;
  int without_parent_suspension = 0;

private:
  page_storage<sizeof(void*) == 8 ? 64 * 1024 : 512> storage_{};
  static_pages source_{storage_.bytes};
};
few_blocks blocks;

struct table {
  table() {
    program_memory.pages.provide(pages);
    program_memory.blocks.provide(blocks);
  }

  bool insert(cell& owner, std::string_view name) {
    return names.insert(this_thread(), owner, name).has_value();
  }
  void erase(cell& owner) { names.erase(this_thread(), owner); }
  cell* find(const cell* parent, std::string_view name) {
    cell* found = nullptr;
    const bool there = names.find(parent, name, [&found](cell& c) { found = &c; });
    EXPECT_EQ(there, found != nullptr);
    return found;
  }
  name_table names;
};

// spec: A2c
TEST(name_table, finds_an_actor_by_its_name_until_it_is_erased) {
  table t;
  cell desk;
  EXPECT_TRUE(t.find(nullptr, "desk") == nullptr);
  ASSERT_TRUE(t.insert(desk, "desk"));
  EXPECT_TRUE(t.find(nullptr, "desk") == &desk);
  EXPECT_EQ(desk.name->text(), std::string_view{"desk"});
  EXPECT_TRUE(t.find(nullptr, "des") == nullptr);
  EXPECT_TRUE(t.find(nullptr, "desk2") == nullptr);
  t.erase(desk);
  EXPECT_TRUE(t.find(nullptr, "desk") == nullptr);
  EXPECT_TRUE(desk.name == nullptr);
  t.erase(desk);  // once more is nothing
}

// spec: A2c
TEST(name_table, keeps_names_apart_by_parent_and_refuses_a_taken_one) {
  table t;
  cell parent;
  parent.slot = 7;
  cell first;
  cell second;
  cell child;
  child.parent = &parent;
  ASSERT_TRUE(t.insert(first, "a"));
  const auto taken = t.names.insert(this_thread(), second, "a");
  ASSERT_FALSE(taken.has_value());
  EXPECT_TRUE(taken.error() == name_error::taken);
  EXPECT_TRUE(second.name == nullptr);
  ASSERT_TRUE(t.insert(child, "a"));
  EXPECT_TRUE(t.find(nullptr, "a") == &first);
  EXPECT_TRUE(t.find(&parent, "a") == &child);
  t.erase(first);
  ASSERT_TRUE(t.insert(second, "a"));
  EXPECT_TRUE(t.find(nullptr, "a") == &second);
  t.erase(second);
  t.erase(child);
}

// spec: A2c
TEST(name_table, holds_more_names_than_it_began_with_and_erases_them_in_any_order) {
  table t;
  constexpr std::size_t number = sizeof(void*) == 8 ? 200 : 10;
  std::array<cell, number> cells;
  std::array<std::array<char, 3>, number> names{};
  for (std::size_t i = 0; i < number; ++i) {
    names[i] = {'n', static_cast<char>('0' + i / 26), static_cast<char>('a' + i % 26)};
    ASSERT_TRUE(t.insert(cells[i], {names[i].data(), 3}));
  }
  EXPECT_EQ(blocks.given > 0, sizeof(void*) == 8);  // it has grown
  for (std::size_t i = 0; i < number; ++i)
    EXPECT_TRUE(t.find(nullptr, {names[i].data(), 3}) == &cells[i]);
  for (std::size_t i = 0; i < number; i += 2)
    t.erase(cells[i]);
  for (std::size_t i = 0; i < number; ++i)
    EXPECT_EQ(t.find(nullptr, {names[i].data(), 3}) == &cells[i], i % 2 == 1);
  for (std::size_t i = 1; i < number; i += 2)
    t.erase(cells[i]);
}

TEST(name_table, gives_the_memory_of_a_name_back) {
  table t;
  cell owner;
  ASSERT_TRUE(t.insert(owner, "again"));
  t.erase(owner);
  const std::size_t used = pages.used();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(t.insert(owner, "again"));
    t.erase(owner);
  }
  EXPECT_EQ(pages.used(), used);
}

TEST(name_table, says_so_when_there_is_no_memory_for_a_name) {
  table t;
  std::array<char, actor_name::longest> letters{};
  letters.fill('x');
  constexpr std::size_t number = 40;
  static std::array<cell, sizeof(void*) == 8 ? 2'000 : number> cells;
  std::size_t made = 0;
  bool refused = false;
  for (cell& each : cells) {
    letters[0] = static_cast<char>('a' + made % 26);
    letters[1] = static_cast<char>('a' + made / 26 % 26);
    letters[2] = static_cast<char>('a' + made / 26 / 26);
    const auto given = t.names.insert(this_thread(), each, {letters.data(), letters.size()});
    if (!given) {
      EXPECT_TRUE(given.error() == name_error::no_memory);
      EXPECT_TRUE(each.name == nullptr);
      refused = true;
      break;
    }
    ++made;
  }
  EXPECT_TRUE(refused);
  for (std::size_t i = 0; i < made; ++i)
    t.erase(cells[i]);
  // And there is memory again.
  cell one;
  EXPECT_TRUE(t.insert(one, "one"));
  t.erase(one);
}

TEST(name_table, is_visited_a_few_names_at_a_time_each_once) {
  table t;
  std::array<cell, 6> owners{};
  constexpr std::array<std::string_view, 6> texts{"a", "b", "c", "d", "e", "f"};
  for (std::size_t i = 0; i < owners.size(); ++i)
    ASSERT_TRUE(t.insert(owners[i], texts[i]));
  constexpr std::size_t at_once = 2;
  std::array<int, 6> visits{};
  std::size_t locks = 0;
  for (name_table::position from; !from.at_end; ++locks) {
    std::size_t seen = 0;
    t.names.visit_from(from, at_once, [&](const actor_name& name) {
      ++seen;
      ++visits[static_cast<std::size_t>(static_cast<const cell*>(name.owner) - owners.data())];
    });
    EXPECT_LE(seen, at_once);
  }
  for (const int each : visits)
    EXPECT_EQ(each, 1);
  EXPECT_LE(locks, owners.size() / at_once + 1);
  for (cell& each : owners)
    t.erase(each);
}

/// Numbers actors by their generation, which a test chooses.
struct by_generation final : actor_numbers {
  [[nodiscard]] std::uint32_t number_of(mailbox_index who) noexcept override {
    return who.generation;
  }
};

/// The first letters of names, in the order in which they are visited, if the slots begin with
/// `first`.
std::array<char, 5> visited_with_slots_from(std::uint32_t first) {
  by_generation numbers;
  table t;
  t.names.number_actors(numbers);
  cell guardian;
  guardian.guardian = true;
  guardian.slot = first;
  std::array<cell, 3> parents{};
  std::array<cell, 3> children{};
  constexpr std::array<std::string_view, 3> texts{"a", "b", "c"};
  for (std::size_t i = 0; i < parents.size(); ++i) {
    parents[i].slot = static_cast<std::uint32_t>(first + 3 * i + 1);
    parents[i].tenant = static_cast<std::uint32_t>(i + 1);
    parents[i].parent = &guardian;
    children[i].parent = &parents[i];
  }
  EXPECT_TRUE(t.insert(parents[0], "named"));
  EXPECT_TRUE(t.insert(parents[1], "other"));  // the third has no name
  for (std::size_t i = 0; i < children.size(); ++i) {
    EXPECT_TRUE(t.insert(children[i], texts[i]));
    EXPECT_TRUE(t.find(&parents[i], texts[i]) == &children[i]);
  }
  std::array<char, 5> order{};
  std::size_t count = 0;
  for (name_table::position from; !from.at_end;)
    t.names.visit_from(from, 2, [&](const actor_name& name) { order[count++] = name.text()[0]; });
  EXPECT_EQ(count, order.size());
  for (cell& each : children)
    t.erase(each);
  for (cell& each : parents)
    t.erase(each);
  return order;
}

// spec: K2a
TEST(name_table, is_visited_in_an_order_that_does_not_depend_on_slots) {
  if (port::has_interrupts) return;  // a board numbers no actors
  const std::array<char, 5> order = visited_with_slots_from(1);
  for (std::uint32_t first = 2; first < 20; ++first)
    EXPECT_TRUE(visited_with_slots_from(first) == order);
}

}  // namespace
}  // namespace tactor
