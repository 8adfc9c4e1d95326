// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/job/command_queue.hpp"

#include "tactor/base/free_list.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace tactor {

using namespace tactor::internal;

namespace {

struct numbered_record : free_list_slot {
  int number = 0;
};

constexpr auto ignored = [](const auto&) {};

TEST(command_queue, what_was_pushed_is_taken_in_order_and_seen_on_the_way_newest_first) {
  std::array<numbered_record, 4> records{};
  for (std::size_t i = 0; i < records.size(); ++i)
    records[i].number = static_cast<int>(i);
  command_queue<numbered_record> queue{records};
  EXPECT_TRUE(queue.empty());
  for (const std::size_t index : {2u, 0u, 3u})
    queue.push(records[index]);
  EXPECT_FALSE(queue.empty());

  std::array<int, 3> seen{};
  std::size_t count = 0;
  auto taken = queue.take_all([&](const numbered_record& each) { seen[count++] = each.number; });
  EXPECT_TRUE(queue.empty());
  ASSERT_EQ(count, 3u);
  EXPECT_TRUE(seen[0] == 3 && seen[1] == 0 && seen[2] == 2);
  for (const int expected : {2, 0, 3}) {
    const numbered_record* const next = taken.pop();
    ASSERT_NE(next, nullptr);
    EXPECT_EQ(next->number, expected);
  }
  EXPECT_EQ(taken.pop(), nullptr);
}

TEST(command_queue, a_record_can_be_pushed_again_as_soon_as_it_was_popped) {
  std::array<numbered_record, 2> records{};
  command_queue<numbered_record> queue{records};
  queue.push(records[0]);
  queue.push(records[1]);

  auto taken = queue.take_all(ignored);
  EXPECT_EQ(taken.pop(), &records[0]);
  queue.push(records[0]);
  EXPECT_EQ(taken.pop(), &records[1]);
  EXPECT_EQ(taken.pop(), nullptr);

  auto again = queue.take_all(ignored);
  EXPECT_EQ(again.pop(), &records[0]);
  EXPECT_EQ(again.pop(), nullptr);
  EXPECT_EQ(queue.take_all(ignored).pop(), nullptr);
}

// The free list may read the link of a record that it has given out: it must not take the number kept there for a free record.
TEST(command_queue,
     a_record_whose_link_is_that_of_the_free_list_is_free_again_when_it_is_put_back) {
  std::array<numbered_record, 3> records{};
  free_list<numbered_record> unused{records};
  command_queue<numbered_record> queue{records};
  for (std::uint32_t index = 0; index < records.size(); ++index) {
    ASSERT_EQ(unused.take(), index);
    queue.push(records[index], index + 1);
  }
  EXPECT_EQ(unused.take(), unused.none);

  for (auto taken = queue.take_all(ignored); auto* const next = taken.pop();)
    unused.put(static_cast<std::uint32_t>(next - records.data()));

  for (const std::uint32_t expected : {2u, 1u, 0u})
    EXPECT_EQ(unused.take(), expected);
  EXPECT_EQ(unused.take(), unused.none);
}

}  // namespace
}  // namespace tactor
