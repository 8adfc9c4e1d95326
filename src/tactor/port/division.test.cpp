// SPDX-License-Identifier: BSL-1.0
#include "tactor/port/division.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace tactor::port {
namespace {

constexpr std::uint64_t most = ~std::uint64_t{0};
constexpr std::uint64_t numbers[] = {
    1,         2,           3,        7,        10,   999,        1'000,
    1'000'000, 0xFFFF'FFFF, most / 2, most - 1, most, 1ULL << 63, (1ULL << 63) + 1,
    1ULL << 32};

TEST(division, bit_by_bit_is_exact) {
  for (const std::uint64_t dividend : numbers) {
    for (const std::uint64_t divisor : numbers) {
      const division found = divide_by_bits(dividend, divisor);
      EXPECT_EQ(found.quotient, dividend / divisor);
      EXPECT_EQ(found.remainder, dividend % divisor);
      EXPECT_EQ(divide(dividend, divisor), found);
    }
  }
  EXPECT_EQ(divide_by_bits(0, 5), (division{.quotient = 0, .remainder = 0}));
}

}  // namespace
}  // namespace tactor::port
