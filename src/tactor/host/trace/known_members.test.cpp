// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/trace/trace_buffer.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace tactor {
namespace {

using internal::known_members;

constexpr auto is_even = [](std::uint64_t actor) { return [actor] { return actor % 2 == 0; }; };

// spec: O3
TEST(known_members, are_asked_for_once) {
  known_members all;
  EXPECT_TRUE(all.contains(7, [] { return true; }));
  EXPECT_TRUE(all.contains(7, [] { return false; }));
  EXPECT_FALSE(all.contains(8, [] { return false; }));
}

// spec: O3
TEST(known_members, are_no_more_than_fit_and_are_asked_for_again) {
  known_members all;
  for (std::uint64_t actor = 0; actor < 3 * known_members::most; ++actor) {
    EXPECT_EQ(all.contains(actor, is_even(actor)), actor % 2 == 0);
    EXPECT_LE(all.size(), known_members::most);
  }
  EXPECT_TRUE(all.contains(0, is_even(0)));
}

}  // namespace
}  // namespace tactor
