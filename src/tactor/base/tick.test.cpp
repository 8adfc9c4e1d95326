// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/tick.hpp"

#include <gtest/gtest.h>

namespace tactor {
namespace {

// spec: T5
TEST(tick, adding_stops_at_the_end_of_time) {
  EXPECT_EQ(later_by(tick{5}, 3), tick{8});
  EXPECT_EQ(later_by(tick{tick::max().count - 3}, 3), tick::max());
  EXPECT_EQ(later_by(tick{tick::max().count - 3}, 4), tick::max());
  EXPECT_EQ(later_by(tick::max(), tick::max().count), tick::max());
}

TEST(tick, the_distance_to_an_earlier_tick_is_zero) {
  EXPECT_EQ(ticks_between(tick{3}, tick{8}), 5u);
  EXPECT_EQ(ticks_between(tick{8}, tick{3}), 0u);
  EXPECT_EQ(ticks_between(tick{}, tick::max()), tick::max().count);
}

TEST(tick, counts_past_32_bits) {
  EXPECT_LT(tick{0xFFFF'FFFF}, later_by(tick{0xFFFF'FFFF}, 1));
}

}  // namespace
}  // namespace tactor
