// SPDX-License-Identifier: BSL-1.0

// Sections that mask by priority (TACTOR_BASEPRI): more urgent interrupts are not delayed.
#include "tactor/port/port.hpp"

#include "embedded/board.hpp"
#include <gtest/gtest.h>

#include <cstdint>

namespace {

volatile std::uint32_t urgent_taken;
volatile std::uint32_t ordinary_taken;

// Of external interrupt `number`; 0 is the most urgent.
void set_priority(unsigned number, std::uint8_t priority) noexcept {
  *reinterpret_cast<volatile std::uint8_t*>(0xE000'E400 + number) = priority;
}

}  // namespace

extern "C" void irq_0_handler() {
  urgent_taken = urgent_taken + 1;
}
extern "C" void irq_1_handler() {
  ordinary_taken = ordinary_taken + 1;
}

namespace tactor {
namespace {

TEST(masking_by_priority, delays_only_interrupts_that_may_use_the_library) {
  set_priority(0, 0x20);
  set_priority(1, 0x40);
  embedded::enable_interrupt(0);
  embedded::enable_interrupt(1);

  {
    const port::interrupts_masked outer;
    {
      const port::interrupts_masked inner;
    }
    embedded::pend_interrupt(1);
    EXPECT_EQ(ordinary_taken, 0u) << "the end of the inner section ends the outer one";
    embedded::pend_interrupt(0);
    EXPECT_EQ(urgent_taken, 1u);
  }
  embedded::finish_accesses();
  EXPECT_EQ(ordinary_taken, 1u);
}

TEST(masking_by_priority, a_section_around_a_sleep_delays_all_and_ends_the_sleep) {
  const std::uint32_t before = urgent_taken;
  {
    const port::sleep_section section;
    embedded::pend_interrupt(0);
    EXPECT_EQ(urgent_taken, before);
    asm volatile("wfi");
  }
  embedded::finish_accesses();
  EXPECT_EQ(urgent_taken, before + 1);
}

}  // namespace
}  // namespace tactor
