// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/mpsc_queue.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace tactor {

using namespace tactor::internal;

namespace {

struct item : mpsc_queue_node<item> {};

TEST(mpsc_queue, hands_out_in_the_order_of_pushing) {
  std::array<item, 3> items;
  mpsc_queue<item> queue;

  for (item& each : items)
    (void)queue.push(each);
  auto taken = queue.take_all();

  EXPECT_EQ(taken.pop(), &items[0]);
  EXPECT_EQ(taken.pop(), &items[1]);
  EXPECT_EQ(taken.pop(), &items[2]);
  EXPECT_EQ(taken.pop(), nullptr);
}

TEST(mpsc_queue, only_the_push_that_finds_it_empty_asks_for_the_consumer) {
  std::array<item, 3> items;
  mpsc_queue<item> queue;

  EXPECT_EQ(queue.push(items[0]), after_push::wake_consumer);
  EXPECT_EQ(queue.push(items[1]), after_push::nothing);
  (void)queue.take_all();
  EXPECT_EQ(queue.push(items[2]), after_push::wake_consumer);
}

TEST(mpsc_queue, taking_empties_it_and_what_comes_later_waits_for_the_next_taking) {
  std::array<item, 2> items;
  mpsc_queue<item> queue;

  EXPECT_TRUE(queue.empty());
  EXPECT_TRUE(queue.take_all().empty());

  (void)queue.push(items[0]);
  EXPECT_FALSE(queue.empty());
  auto taken = queue.take_all();
  EXPECT_TRUE(queue.empty());
  (void)queue.push(items[1]);

  EXPECT_EQ(taken.pop(), &items[0]);
  EXPECT_EQ(taken.pop(), nullptr);
  EXPECT_EQ(queue.take_all().pop(), &items[1]);
}

TEST(mpsc_queue, an_element_may_be_pushed_again_as_soon_as_it_was_popped) {
  std::array<item, 2> items;
  mpsc_queue<item> queue;
  for (item& each : items)
    (void)queue.push(each);
  auto taken = queue.take_all();

  (void)queue.push(*taken.pop());

  EXPECT_EQ(taken.pop(), &items[1]);
  EXPECT_EQ(queue.take_all().pop(), &items[0]);
}

TEST(mpsc_queue, the_owner_adds_elements_behind_those_that_were_taken) {
  std::array<item, 4> items;
  mpsc_queue<item> queue;
  (void)queue.push(items[0]);
  (void)queue.push(items[1]);
  auto taken = queue.take_all();
  taken.push(items[2]);

  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(taken.pop(), &items[static_cast<std::size_t>(i)]);
  EXPECT_TRUE(taken.empty());
  taken.push(items[3]);
  EXPECT_EQ(taken.pop(), &items[3]);
  EXPECT_EQ(taken.pop(), nullptr);
}

}  // namespace
}  // namespace tactor
