// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/ring.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>

namespace tactor {

using namespace tactor::internal;

namespace {

TEST(ring, holds_exactly_as_many_as_its_storage) {
  std::array<int, 3> storage{};
  ring<int> numbers{storage};

  EXPECT_TRUE(numbers.push(1));
  EXPECT_TRUE(numbers.push(2));
  EXPECT_TRUE(numbers.push(3));
  EXPECT_TRUE(numbers.full());
  EXPECT_FALSE(numbers.push(4));

  EXPECT_EQ(numbers.size(), 3u);
  EXPECT_EQ(numbers[0], 1);
  EXPECT_EQ(numbers[2], 3);
}

TEST(ring, hands_out_the_oldest_first_also_across_its_end) {
  std::array<int, 3> storage{};
  ring<int> numbers{storage};

  for (int next = 0; next < 10; ++next) {
    EXPECT_TRUE(numbers.push(next));
    EXPECT_TRUE(numbers.push(next + 100));
    EXPECT_EQ(numbers.pop(), std::optional{next});
    EXPECT_EQ(numbers.pop(), std::optional{next + 100});
  }
  EXPECT_EQ(numbers.pop(), std::nullopt);
}

TEST(ring, pushing_over_the_oldest_drops_it_and_reports_it) {
  std::array<int, 2> storage{};
  ring<int> numbers{storage};

  EXPECT_FALSE(numbers.push_over_oldest(1));
  EXPECT_FALSE(numbers.push_over_oldest(2));
  EXPECT_TRUE(numbers.push_over_oldest(3));

  EXPECT_EQ(numbers[0], 2);
  EXPECT_EQ(numbers[1], 3);
}

TEST(ring, without_storage_refuses_everything) {
  ring<int> numbers;

  EXPECT_FALSE(numbers.push(1));
  EXPECT_TRUE(numbers.push_over_oldest(1));
  EXPECT_EQ(numbers.pop(), std::nullopt);
}

}  // namespace
}  // namespace tactor
