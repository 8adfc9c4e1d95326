// SPDX-License-Identifier: BSL-1.0
#include "tactor/bare/counter_clock.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace tactor::bare {
namespace {

std::uint32_t hardware_counter = 0;

std::uint32_t read_hardware() noexcept {
  return hardware_counter;
}

// spec: T1
TEST(counter_clock, starts_at_zero_whatever_the_counter_reads) {
  hardware_counter = 0xFFFF'FFF0;
  const counter_clock clock{read_hardware, 1000, hardware_counter};

  EXPECT_EQ(clock.now(), (timer_instant{.ticks = 0, .resolution_ns = 1000}));
  EXPECT_EQ(clock.kind(), clock_kind::realtime);
}

// spec: T1 T5
TEST(counter_clock, goes_on_when_the_counter_wraps) {
  hardware_counter = 0xFFFF'FFF0;
  const counter_clock clock{read_hardware, 1000, hardware_counter};

  hardware_counter = 0x10;
  EXPECT_EQ(clock.now().ticks, 0x20u);

  for (int turn = 0; turn < 3; ++turn) {
    hardware_counter += 0x8000'0000;
    (void)clock.now();
    hardware_counter += 0x8000'0000;
    (void)clock.now();
  }
  EXPECT_EQ(clock.now().ticks, 0x3'0000'0020u);
}

}  // namespace
}  // namespace tactor::bare
