// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/seed.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace tactor::testkit {
namespace {

// spec: K2a
TEST(seed, alone_decides_the_numbers) {
  random_source one{seed{42}};
  random_source other{seed{42}};
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(one.next(), other.next());
}

// spec: K2a
TEST(seed, leads_to_the_same_numbers_on_every_machine) {
  random_source numbers{seed{1}};
  EXPECT_EQ(numbers.next(), 5'424'204'624'148'110'235ULL);
  EXPECT_EQ(numbers.next(), 15'555'979'849'632'202'484ULL);
  EXPECT_EQ(numbers.below(1000), 371u);
}

TEST(seed, that_is_the_neighbour_of_another_leads_far_away) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    random_source one{seed{i}};
    random_source other{seed{i + 1}};
    int same = 0;
    for (int n = 0; n < 32; ++n)
      same += one.below(2) == other.below(2) ? 1 : 0;
    EXPECT_LT(same, 30);
    EXPECT_GT(same, 2);
  }
}

TEST(seed, chooses_every_number_below_the_end_about_as_often_as_any_other) {
  random_source numbers{seed{7}};
  std::array<int, 10> often{};
  for (int i = 0; i < 10'000; ++i) {
    const std::size_t chosen = numbers.below(often.size());
    ASSERT_TRUE(chosen < often.size());
    ++often[chosen];
  }
  for (const int each : often) {
    EXPECT_GT(each, 850);
    EXPECT_LT(each, 1150);
  }
  EXPECT_EQ(numbers.below(1), 0u);
}

TEST(seed, of_any_value_goes_on_without_repeating_soon) {
  for (const std::uint64_t value : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    random_source numbers{seed{value}};
    const std::uint64_t first = numbers.next();
    for (int i = 0; i < 1000; ++i)
      EXPECT_TRUE(numbers.next() != first);
  }
}

}  // namespace
}  // namespace tactor::testkit
