// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/steady_clock.hpp"

#include "tactor/host/os/counter_stamp.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace tactor::inline v0::host {
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

// spec: T4
TEST(steady_clock, a_stamp_is_not_before_the_call_and_hardly_after_it) {
  const steady_clock clock;
  internal::find_clock_counter();
  constexpr std::uint64_t latest_ns =
      internal::counter_stamp::longest_ns / 4 + internal::counter_stamp::guard_ns;

  timer_instant last = clock.stamp();
  for (int look = 0; look < 100'000; ++look) {
    const std::uint64_t before = clock.now().ticks;
    const timer_instant stamp = clock.stamp();
    const std::uint64_t after = clock.now().ticks;
    ASSERT_GE(stamp.ticks, before);
    ASSERT_LE(stamp.ticks, after + latest_ns);
    ASSERT_GE(stamp.ticks, last.ticks);
    last = stamp;
  }
}

}  // namespace
}  // namespace tactor::inline v0::host
