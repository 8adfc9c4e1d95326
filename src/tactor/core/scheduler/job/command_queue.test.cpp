// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/job/command_queue.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <initializer_list>

namespace tactor {

using namespace tactor::internal;

namespace {

struct record : command_node {
  int number = 0;
};

constexpr auto ignored = [](const record&) {};

TEST(command_queue, what_was_pushed_is_taken_in_order_and_seen_on_the_way_newest_first) {
  std::array<record, 4> records{};
  for (std::size_t i = 0; i < records.size(); ++i)
    records[i].number = static_cast<int>(i);
  command_queue<record> queue{records};
  EXPECT_TRUE(queue.empty());
  for (const std::size_t index : {2u, 0u, 3u})
    queue.push(records[index]);
  EXPECT_FALSE(queue.empty());

  std::array<int, 3> seen{};
  std::size_t count = 0;
  auto taken = queue.take_all([&](const record& each) { seen[count++] = each.number; });
  EXPECT_TRUE(queue.empty());
  ASSERT_EQ(count, 3u);
  EXPECT_TRUE(seen[0] == 3 && seen[1] == 0 && seen[2] == 2);
  for (const int expected : {2, 0, 3}) {
    const record* const next = taken.pop();
    ASSERT_NE(next, nullptr);
    EXPECT_EQ(next->number, expected);
  }
  EXPECT_EQ(taken.pop(), nullptr);
}

TEST(command_queue, a_record_can_be_pushed_again_as_soon_as_it_was_popped) {
  std::array<record, 2> records{};
  command_queue<record> queue{records};
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

}  // namespace
}  // namespace tactor
