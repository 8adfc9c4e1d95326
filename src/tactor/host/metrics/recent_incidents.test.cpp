// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/metrics/recent_incidents.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

namespace tactor::internal {
namespace {

TEST(recent_ring, keeps_the_newest_entries_and_no_more) {
  recent_ring<int> ring;
  EXPECT_TRUE(ring.newest_first().empty());
  for (int i = 0; i < 300; ++i)
    ring.add([&](int& entry) { entry = i; });
  const std::vector<int> kept = ring.newest_first();
  ASSERT_EQ(kept.size(), recent_ring<int>::most);
  EXPECT_EQ(kept.front(), 299);
  EXPECT_EQ(kept.back(), 300 - static_cast<int>(recent_ring<int>::most));
  EXPECT_EQ(ring.missed(), 0U);
}

TEST(recent_ring, counts_an_entry_that_would_have_to_wait) {
  recent_ring<int> ring;
  ring.add([&](int& entry) {
    entry = 1;
    std::thread{[&] { ring.add([](int& other) { other = 2; }); }}.join();
  });
  EXPECT_EQ(ring.missed(), 1U);
  EXPECT_EQ(ring.newest_first(), std::vector{1});
}

TEST(recent_ring, takes_entries_of_many_threads_while_one_reads) {
  constexpr int threads = 3, entries = 2'000;
  struct pair {
    int a = 0, b = 0;
  };
  recent_ring<pair> ring;
  std::vector<std::thread> writers;
  for (int t = 0; t < threads; ++t)
    writers.emplace_back([&] {
      for (int i = 1; i <= entries; ++i)
        ring.add([&](pair& entry) { entry = {.a = i, .b = -i}; });
    });
  for (int i = 0; i < 100; ++i)
    for (const pair& each : ring.newest_first())
      ASSERT_EQ(each.a, -each.b);
  for (std::thread& each : writers)
    each.join();
  EXPECT_LE(ring.missed(), std::uint64_t{threads} * entries);
}

TEST(recent_incidents, knows_the_restarts_of_an_actor_until_another_displaces_it) {
  recent_incidents past;
  const mailbox_index first{.slot = 3, .generation = 1}, later{.slot = 3, .generation = 3};
  const mailbox_index far{.slot = 3 + 4'096, .generation = 1};
  EXPECT_EQ(past.restarts_of(first), 0U);
  past.count_restarts(first, 2);
  EXPECT_EQ(past.restarts_of(first), 2U);
  EXPECT_EQ(past.restarts_of(later), 0U);
  past.count_restarts(later, 1);  // the first one has ended
  EXPECT_EQ(past.restarts_of(later), 1U);
  EXPECT_EQ(past.restarts_of(far), 0U);
  past.count_restarts(far, 5);
  EXPECT_EQ(past.restarts_of(far), 5U);
  EXPECT_EQ(past.restarts_of(later), std::nullopt);
}

}  // namespace
}  // namespace tactor::internal
