// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/steady_clock.hpp"

#include <gtest/gtest.h>

namespace tactor::host {
namespace {

// spec: T1
TEST(steady_clock, counts_nanoseconds_and_never_goes_back) {
  const steady_clock clock;
  EXPECT_EQ(clock.kind(), clock_kind::realtime);

  timer_instant last = clock.now();
  EXPECT_EQ(last.resolution_ns, 1u);
  for (int look = 0; look < 1000; ++look) {
    const timer_instant now = clock.now();
    EXPECT_GE(now.ticks, last.ticks);
    last = now;
  }
}

// A clock that stood still would pass the test above.
TEST(steady_clock, moves_by_itself) {
  const steady_clock clock;
  const timer_instant start = clock.now();

  while (clock.now() == start) {
  }

  EXPECT_GT(clock.now().ticks, start.ticks);
}

}  // namespace
}  // namespace tactor::host
