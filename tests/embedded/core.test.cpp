// SPDX-License-Identifier: BSL-1.0

// This image links every object of the core, used or not, with only start-up code and libgcc.
#include "tactor/core/timing/timer_wheel.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <optional>

#if defined(__cpp_exceptions) || defined(__cpp_rtti) || __STDC_HOSTED__
#error "the core is compiled here without exceptions, run-time types and an operating system"
#endif

namespace tactor {

using namespace tactor::internal;

namespace {

struct wheel_memory {
  static_timing_storage<8, 4> room;
  std::array<timer_entry, 3> timers{};
};
constinit wheel_memory memory;

// spec: E1
// case: XT-02
TEST(core, links_whole_and_runs_without_exceptions_run_time_types_heap_or_operating_system) {
  timer_wheel wheel{memory.room.view(), tick{}, {}};
  auto& timers = memory.timers;
  ASSERT_TRUE(wheel.insert(timers[0], tick{100}).has_value());  // by way of the overflow
  ASSERT_TRUE(wheel.insert(timers[1], tick{3}).has_value());
  ASSERT_TRUE(wheel.insert(timers[2], tick{3}).has_value());
  EXPECT_EQ(wheel.next_deadline(), std::optional{tick{3}});

  EXPECT_EQ(wheel.pop_due(tick{2}), nullptr);
  EXPECT_EQ(wheel.pop_due(tick{3}), &timers[1]);
  EXPECT_TRUE(wheel.cancel(timers[2]));
  EXPECT_EQ(wheel.pop_due(tick{99}), nullptr);
  EXPECT_EQ(wheel.pop_due(tick{100}), &timers[0]);
  EXPECT_EQ(wheel.size(), 0u);
}

}  // namespace
}  // namespace tactor
