// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/intrusive_list.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <utility>

namespace tactor {

using namespace tactor::internal;

namespace {

struct item : intrusive_list_node<item> {
  int value = 0;
};

using items = std::array<item, 4>;

items numbered() {
  items result;
  for (int i = 0; i < 4; ++i)
    result[static_cast<std::size_t>(i)].value = i;
  return result;
}

// The values in order, as decimal digits after a 1: 0, 1, 2 reads 1012.
int digits(const intrusive_list<item>& list) {
  int forward = 1;
  for (const item* each = list.front(); each != nullptr; each = list.next(*each)) {
    forward = forward * 10 + each->value;
  }
  return forward;
}

// The values in reverse order.
int digits_reversed(const intrusive_list<item>& list) {
  int backward = 1;
  const item* each = list.empty() ? nullptr : list.back();
  for (; each != nullptr; each = list.previous(*each))
    backward = backward * 10 + each->value;
  return backward;
}

TEST(intrusive_list, keeps_the_order_of_insertion) {
  items all = numbered();
  intrusive_list<item> list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.pop_front(), nullptr);
  EXPECT_EQ(list.pop_back(), nullptr);

  for (item& each : all)
    list.push_back(each);

  EXPECT_EQ(digits(list), 10123);
  EXPECT_EQ(digits_reversed(list), 13210);
  EXPECT_EQ(list.pop_front(), &all[0]);
  EXPECT_EQ(digits(list), 1123);
  EXPECT_EQ(list.pop_back(), &all[3]);
  EXPECT_EQ(digits(list), 112);
  EXPECT_EQ(digits_reversed(list), 121);
}

TEST(intrusive_list, takes_elements_in_front) {
  items all = numbered();
  intrusive_list<item> list;
  for (item& each : all)
    list.push_front(each);

  EXPECT_EQ(digits(list), 13210);
  EXPECT_EQ(digits_reversed(list), 10123);
}

TEST(intrusive_list, inserts_in_front_in_the_middle_and_at_the_end) {
  items all = numbered();
  intrusive_list<item> list;

  list.insert_before(nullptr, all[2]);
  list.insert_before(&all[2], all[0]);
  list.insert_before(&all[2], all[1]);
  list.insert_before(nullptr, all[3]);

  EXPECT_EQ(digits(list), 10123);
  EXPECT_EQ(digits_reversed(list), 13210);
}

TEST(intrusive_list, erases_first_middle_last_and_only_element) {
  items all = numbered();
  intrusive_list<item> list;
  for (item& each : all)
    list.push_back(each);

  list.erase(all[1]);
  EXPECT_EQ(digits_reversed(list), 1320);
  list.erase(all[3]);
  EXPECT_EQ(digits_reversed(list), 120);
  list.erase(all[0]);
  EXPECT_EQ(digits(list), 12);
  list.erase(all[2]);
  EXPECT_TRUE(list.empty());

  list.push_back(all[1]);
  EXPECT_EQ(digits_reversed(list), 11);
}

TEST(intrusive_list, moving_empties_the_source) {
  items all = numbered();
  intrusive_list<item> source;
  for (item& each : all)
    source.push_back(each);

  intrusive_list<item> target;
  target = std::move(source);

  EXPECT_EQ(digits(target), 10123);
  EXPECT_TRUE(source.empty());  // NOLINT(bugprone-use-after-move): emptiness is the contract
}

TEST(intrusive_list, is_one_pointer_wide) {
  EXPECT_EQ(sizeof(intrusive_list<item>), sizeof(void*));
}

}  // namespace
}  // namespace tactor
