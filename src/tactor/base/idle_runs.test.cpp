// SPDX-License-Identifier: BSL-1.0
// Not on targets: 32-bit machines have no runs.
#include "tactor/base/idle_runs.hpp"

#include "tactor/base/magazine.hpp"
#include "tactor/port/port.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <utility>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

constexpr std::uint32_t capacity = 3;

struct node {
  port::plain<node*> next;
  chain_record<node>* run = nullptr;
};

using depot = magazine_depot<node, capacity>;
using record = chain_record<node>;
using chain = node_chain<node>;

// A directory in a run of this size has ten places.
constexpr std::size_t run_bytes = sizeof(record) + 2 * sizeof(void*) + 10 * sizeof(void*);

// Of so many runs that were taken out, each eleventh is a directory.
constexpr std::size_t discarded_of(std::size_t runs) {
  return runs - (runs + 10) / 11;
}

struct alignas(depot::record_alignment) run_storage {
  std::byte front[512];
  std::array<node, capacity> nodes;
};

struct runs_in_test {
  std::size_t bytes = run_bytes;
  std::uint32_t reserve = 2;
  std::vector<void*> discarded;

  static record& run_of(node& each) noexcept { return *each.run; }
  void discard(void* start, std::size_t size) noexcept {
    std::memset(start, 0, size);
    discarded.push_back(start);
  }
};

class bench {
public:
  explicit bench(std::size_t count) : storage_(new run_storage[count]), count_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      shared.reserve(storage_[i].front);
      give(i, *std::launder(reinterpret_cast<record*>(storage_[i].front)));
    }
  }

  // A run of nodes becomes one chain of the depot.
  void give(std::size_t i, record& run) {
    chain made;
    for (node& each : storage_[i].nodes) {
      each.run = &run;
      made.push(each);
    }
    shared.put(made);
  }
  void trim() {
    while (idle.has_work(shared, runs))
      idle.step(shared, runs);
  }
  // Returns: the nodes of the depot, each once.
  std::vector<node*> take_all() {
    std::vector<node*> all;
    for (chain taken = shared.take(); taken.count != 0; taken = shared.take()) {
      for (node* each = taken.first; each != nullptr; each = each->next.get())
        all.push_back(each);
    }
    std::ranges::sort(all);
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end()) << "a node was there twice";
    return all;
  }
  void put_all(const std::vector<node*>& all) {
    chain made;
    for (node* each : all) {
      made.push(*each);
      if (made.count == capacity) shared.put(std::exchange(made, {}));
    }
    shared.put(made);
  }
  // Leaves each `distance`th node, which are returned, in use.
  std::vector<node*> use_each(std::size_t distance) {
    std::vector<node*> rest;
    std::vector<node*> in_use;
    for (node* each : take_all())
      ((rest.size() + in_use.size()) % distance == 0 ? in_use : rest).push_back(each);
    put_all(rest);
    return in_use;
  }
  std::size_t index_of(const void* run) const {
    return static_cast<std::size_t>(static_cast<const run_storage*>(run) - storage_.get());
  }
  std::size_t runs_made() const { return count_; }

  depot shared;
  idle_runs<node, capacity> idle;
  runs_in_test runs;

private:
  std::unique_ptr<run_storage[]> storage_;
  std::size_t count_;
};

TEST(idle_runs, are_discarded_except_a_reserve) {
  bench b{20};
  b.trim();
  EXPECT_EQ(b.runs.discarded.size(), discarded_of(20 - b.runs.reserve));
  EXPECT_EQ(b.take_all().size(), b.runs.reserve * capacity);
}

TEST(idle_runs, are_left_alone_while_there_are_few) {
  bench b{4};
  EXPECT_FALSE(b.idle.has_work(b.shared, b.runs));
  EXPECT_EQ(b.take_all().size(), 4 * capacity);
}

TEST(idle_runs, a_run_of_which_something_is_in_use_stays) {
  bench b{18};
  (void)b.use_each(2 * std::size_t{capacity});  // of every second run

  b.trim();

  for (const void* run : b.runs.discarded)
    EXPECT_EQ(b.index_of(run) % 2, 1u);
  EXPECT_EQ(b.runs.discarded.size(), discarded_of(9 - b.runs.reserve));
  EXPECT_EQ(b.take_all().size(), 9u * (capacity - 1) + b.runs.reserve * capacity);
}

TEST(idle_runs, are_found_however_their_nodes_are_mixed) {
  bench b{60};
  std::vector<node*> all = b.take_all();
  std::shuffle(all.begin(), all.end(), std::minstd_rand{7});
  b.put_all(all);

  b.trim();

  EXPECT_EQ(b.runs.discarded.size(), discarded_of(60 - b.runs.reserve));
  EXPECT_EQ(b.take_all().size(), b.runs.reserve * capacity);
}

TEST(idle_runs, loose_nodes_count_too) {
  bench b{20};
  for (node* each : b.take_all())
    b.shared.put({.first = (each->next.set(nullptr), each), .count = 1});
  EXPECT_EQ(b.shared.size(), 20u);

  b.trim();

  EXPECT_EQ(b.runs.discarded.size(), discarded_of(20 - b.runs.reserve));
  EXPECT_EQ(b.shared.size(), b.runs.reserve);
}

TEST(idle_runs, are_all_found_again) {
  bench b{60};
  b.trim();
  std::vector<bool> seen(b.runs_made());
  for (const node* each : b.take_all())
    seen[b.index_of(each->run)] = true;
  while (true) {
    const idle_memory<node> found = b.idle.take(b.shared);
    EXPECT_EQ(found.chain.count, 0u);
    if (found.run == nullptr) break;
    EXPECT_FALSE(seen[b.index_of(found.run)]);
    seen[b.index_of(found.run)] = true;
    b.shared.reserve_again(*found.run);
  }
  EXPECT_TRUE(std::ranges::all_of(seen, [](bool each) { return each; }));
  EXPECT_FALSE(b.idle.any());
}

TEST(idle_runs, a_run_used_again_is_as_good_as_new) {
  bench b{20};
  for (unsigned round = 0; round < 5; ++round) {
    b.runs.discarded.clear();
    b.trim();
    EXPECT_EQ(b.runs.discarded.size(), discarded_of(20 - b.runs.reserve));
    const std::vector<node*> reserve = b.take_all();
    std::vector<record*> again;
    while (record* const run = b.idle.take(b.shared).run) {
      b.shared.reserve_again(*run);
      again.push_back(run);
    }
    b.put_all(reserve);
    for (record* const run : again)
      b.give(b.index_of(run), *run);
    EXPECT_EQ(b.shared.size(), 20u);
  }
}

TEST(idle_runs, a_thread_that_finds_nothing_takes_what_is_in_work) {
  for (unsigned steps = 0; steps < 200; ++steps) {
    bench b{20};
    std::vector<node*> mixed = b.take_all();
    std::shuffle(mixed.begin(), mixed.end(), std::minstd_rand{steps});
    b.put_all(mixed);
    for (unsigned i = 0; i < steps && b.idle.has_work(b.shared, b.runs); ++i)
      b.idle.step(b.shared, b.runs);

    std::vector<node*> found = b.take_all();
    const std::size_t discarded = b.runs.discarded.size();
    std::size_t runs = 0;
    while (true) {
      const idle_memory<node> more = b.idle.take(b.shared);
      if (more.run == nullptr && more.chain.count == 0) break;
      runs += more.run != nullptr ? 1 : 0;
      for (node* each = more.chain.first; each != nullptr; each = each->next.get())
        found.push_back(each);
    }
    EXPECT_GE(runs, discarded);
    EXPECT_EQ(found.size() + runs * capacity, 20u * capacity) << "after " << steps << " steps";
    std::ranges::sort(found);
    EXPECT_EQ(std::ranges::adjacent_find(found), found.end());
  }
}

TEST(idle_runs, an_interrupted_search_is_continued) {
  bench b{20};
  b.idle.step(b.shared, b.runs);
  b.idle.step(b.shared, b.runs);
  EXPECT_LT(b.shared.size(), 20u);
  b.trim();
  EXPECT_EQ(b.runs.discarded.size(), discarded_of(20 - b.runs.reserve));
  EXPECT_FALSE(b.idle.has_work(b.shared, b.runs));
}

// What could not be taken out is not searched again at every opportunity.
TEST(idle_runs, a_search_without_result_is_not_repeated_before_there_is_more) {
  bench b{40};
  const std::vector<node*> in_use = b.use_each(capacity);
  EXPECT_TRUE(b.idle.has_work(b.shared, b.runs));
  b.trim();
  EXPECT_TRUE(b.runs.discarded.empty());

  EXPECT_FALSE(b.idle.has_work(b.shared, b.runs));
  b.put_all(in_use);
  EXPECT_TRUE(b.idle.has_work(b.shared, b.runs));
  b.trim();
  EXPECT_FALSE(b.runs.discarded.empty());
}

TEST(idle_runs, the_size_of_a_depot_is_exact_when_no_thread_uses_it) {
  bench b{20};
  EXPECT_EQ(b.shared.size(), 20u);
  const chain one = b.shared.take();
  EXPECT_EQ(b.shared.size(), 19u);
  b.shared.put(one);
  b.trim();
  EXPECT_EQ(b.shared.size(), b.runs.reserve);
  (void)b.take_all();
  EXPECT_EQ(b.shared.size(), 0u);
}

}  // namespace
}  // namespace tactor
