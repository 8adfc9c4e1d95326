// SPDX-License-Identifier: BSL-1.0
#include "tactor/port/port.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace tactor {
namespace {

struct made_at_start {
  made_at_start() noexcept : value(port::atomic<std::uint32_t>{41}.fetch_add(1, relaxed) + 1) {}
  std::uint32_t value;
};

volatile std::uint32_t initialised = 0x1234'5678;
volatile std::uint32_t zero;
made_at_start constructed;

TEST(boot, data_is_copied_from_flash_and_the_rest_is_zero) {
  EXPECT_EQ(initialised, 0x1234'5678u);
  EXPECT_EQ(zero, 0u);
}

TEST(boot, constructors_run_before_main) {
  EXPECT_EQ(constructed.value, 42u);
}

}  // namespace
}  // namespace tactor
