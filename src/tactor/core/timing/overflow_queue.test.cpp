// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/timing/overflow_queue.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace tactor {

using namespace tactor::internal;

namespace {

constexpr std::size_t many = 64;

struct fixture {
  std::array<overflow_item, many> storage{};
  std::array<timer_entry, many> entries{};
  overflow_queue queue{storage};
};

// A small generator with equal results on every platform.
std::uint32_t next_random(std::uint32_t& state) {
  state = state * 1664525u + 1013904223u;
  return state >> 16;
}

TEST(overflow_queue, hands_out_by_deadline_and_among_equals_by_arrival) {
  fixture f;
  std::uint32_t random = 1;
  for (timer_entry& each : f.entries)
    f.queue.push(each, tick{next_random(random) % 8});
  EXPECT_TRUE(f.queue.full());

  const timer_entry* last = nullptr;
  while (!f.queue.empty()) {
    const tick next = f.queue.next_deadline();
    const timer_entry* const popped = &f.queue.pop();
    EXPECT_EQ(popped->deadline(), next);
    EXPECT_FALSE(popped->scheduled());
    if (last != nullptr) {
      const bool in_order = last->deadline() < next || (last->deadline() == next && last < popped);
      EXPECT_TRUE(in_order);
    }
    last = popped;
  }
}

TEST(overflow_queue, erasing_any_entry_keeps_the_others_in_order) {
  for (std::size_t victim = 0; victim < many; ++victim) {
    fixture f;
    std::uint32_t random = static_cast<std::uint32_t>(victim);
    for (timer_entry& each : f.entries)
      f.queue.push(each, tick{next_random(random) % 32});

    f.queue.erase(f.entries[victim]);

    EXPECT_FALSE(f.entries[victim].scheduled());
    EXPECT_EQ(f.queue.size(), many - 1);
    tick last{};
    while (!f.queue.empty()) {
      const timer_entry& popped = f.queue.pop();
      EXPECT_NE(&popped, &f.entries[victim]);
      EXPECT_GE(popped.deadline(), last);
      last = popped.deadline();
    }
  }
}

TEST(overflow_queue, an_erased_entry_may_come_back_behind_its_equals) {
  fixture f;
  f.queue.push(f.entries[0], tick{5});
  f.queue.push(f.entries[1], tick{5});

  f.queue.erase(f.entries[0]);
  f.queue.push(f.entries[0], tick{5});

  EXPECT_EQ(&f.queue.pop(), &f.entries[1]);
  EXPECT_EQ(&f.queue.pop(), &f.entries[0]);
}

}  // namespace
}  // namespace tactor
