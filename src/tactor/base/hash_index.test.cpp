// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/hash_index.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace tactor {

using namespace tactor::internal;

namespace {

struct entry {
  entry* next = nullptr;
  std::uint32_t number = 0;
};
struct by_number {
  static entry*& next(entry& of) noexcept { return of.next; }
  static std::uint32_t hash(const entry& of) noexcept { return of.number; }
};
using index = hash_index<entry, by_number, 4>;

constexpr std::size_t count = 40;

/// Gives tables of 16 and 64 chains, not zeroed, and says which are in use.
class two_tables {
public:
  void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
    EXPECT_EQ(alignment, alignof(entry*));
    if (empty) return nullptr;
    if (bytes == sizeof small) return small_in_use = true, small.data();
    EXPECT_EQ(bytes, sizeof large);
    return large_in_use = true, large.data();
  }
  void release(void* block, std::size_t bytes, std::size_t /*alignment*/) noexcept {
    const bool is_small = block == small.data();
    EXPECT_EQ(bytes, is_small ? sizeof small : sizeof large);
    (is_small ? small_in_use : large_in_use) = false;
  }

  bool empty = false;
  bool small_in_use = false;
  bool large_in_use = false;

private:
  entry other;
  std::array<entry*, 16> small = filled<16>(other);
  std::array<entry*, 64> large = filled<64>(other);

  template <std::size_t Size>
  static std::array<entry*, Size> filled(entry& with) {
    std::array<entry*, Size> table{};
    table.fill(&with);
    return table;
  }
};

struct bench {
  bench() {
    for (std::uint32_t i = 0; i < count; ++i)
      all[i].number = 7 * i;
  }
  [[nodiscard]] bool has(std::size_t which) const {
    const entry* const found =
        entries.find(all[which].number, [&](const entry& e) { return &e == &all[which]; });
    return found == &all[which];
  }
  void insert(std::size_t which) { entries.insert(all[which], memory); }

  two_tables memory;
  index entries;
  std::array<entry, count> all{};
};

TEST(hash_index, finds_a_node_until_it_is_erased) {
  bench b;
  EXPECT_FALSE(b.has(0));
  b.insert(0);
  EXPECT_TRUE(b.has(0));
  EXPECT_FALSE(b.has(4)) << "the same chain";
  b.entries.erase(b.all[0]);
  EXPECT_FALSE(b.has(0));
  EXPECT_EQ(b.entries.size(), 0u);
}

TEST(hash_index, keeps_apart_nodes_of_one_hash) {
  bench b;
  b.all[0].number = b.all[1].number;
  b.insert(0);
  b.insert(1);
  EXPECT_TRUE(b.has(0));
  b.entries.erase(b.all[0]);
  EXPECT_FALSE(b.has(0));
  EXPECT_TRUE(b.has(1));
}

TEST(hash_index, without_memory_has_long_chains) {
  bench b;
  b.memory.empty = true;
  for (std::size_t i = 0; i < count; ++i)
    b.insert(i);
  EXPECT_EQ(b.entries.chain_count(), 4u);
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_TRUE(b.has(i));
}

TEST(hash_index, holds_the_same_nodes_in_a_larger_table_and_gives_the_smaller_back) {
  bench b;
  for (std::size_t i = 0; i < 9; ++i)
    b.insert(i);
  EXPECT_TRUE(b.memory.small_in_use);
  for (std::size_t i = 9; i < count; ++i)
    b.insert(i);
  EXPECT_FALSE(b.memory.small_in_use);
  EXPECT_TRUE(b.memory.large_in_use);
  EXPECT_EQ(b.entries.chain_count(), 64u);

  std::size_t visited = 0;
  for (std::size_t i = 0; i < b.entries.chain_count(); ++i)
    for (const entry* each = b.entries.chain(i); each != nullptr; each = each->next)
      ++visited;
  EXPECT_EQ(visited, count);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_TRUE(b.has(i));
    b.entries.erase(b.all[i]);
    EXPECT_FALSE(b.has(i));
  }
  EXPECT_EQ(b.entries.size(), 0u);
  b.entries.release(b.memory);
  EXPECT_FALSE(b.memory.large_in_use);
}

}  // namespace
}  // namespace tactor
