// SPDX-License-Identifier: BSL-1.0
#include "tactor/bare/systick_clock.hpp"

#include <gtest/gtest.h>

namespace tactor::bare {
namespace {

// spec: T1
TEST(systick_clock, counts_interrupts) {
  systick_clock clock{1'000'000};
  EXPECT_EQ(clock.now(), (timer_instant{.ticks = 0, .resolution_ns = 1'000'000}));

  clock.on_interrupt();
  clock.on_interrupt();

  EXPECT_EQ(clock.now(), (timer_instant{.ticks = 2, .resolution_ns = 1'000'000}));
  EXPECT_EQ(clock.kind(), clock_kind::realtime);
}

}  // namespace
}  // namespace tactor::bare
