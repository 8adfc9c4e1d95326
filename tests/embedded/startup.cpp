// SPDX-License-Identifier: BSL-1.0
#include "embedded/board.hpp"
#include "embedded/semihosting.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

int main();

extern "C" {

// Addresses given by the linker script.
extern std::uint32_t data_begin, data_end, data_image;
extern std::uint32_t bss_begin, bss_end;
extern std::uint32_t stack_begin, stack_end;
extern void (*const init_array_begin)();
extern void (*const init_array_end)();

[[noreturn]] void reset_handler();
[[noreturn]] void fault_handler();
[[noreturn]] void unexpected_interrupt();
[[noreturn]] void unexpected_nmi();
}

namespace embedded {
namespace {

constexpr std::uint32_t paint = 0xA5A5'A5A5;

struct vector_table {
  std::uint32_t* initial_stack;
  std::array<void (*)(), 15> exceptions;
  std::array<void (*)(), 10> interrupts;
};

[[gnu::used, gnu::section(".vectors")]]
const vector_table vectors{
    .initial_stack = &stack_end,
    .exceptions = {reset_handler, non_maskable_handler,
                   fault_handler,                                // HardFault
                   fault_handler, fault_handler, fault_handler,  // memory, bus, usage (ARMv7-M up)
                   fault_handler,                                // secure (ARMv8-M)
                   nullptr, nullptr, nullptr,                    // reserved
                   unexpected_interrupt,                         // supervisor call
                   unexpected_interrupt,                         // debug monitor
                   nullptr,                                      // reserved
                   pend_sv_handler, sys_tick_handler},
    .interrupts = {irq_0_handler, irq_1_handler, irq_2_handler, irq_3_handler, irq_4_handler,
                   irq_5_handler, irq_6_handler, irq_7_handler, irq_8_handler, irq_9_handler},
};

}  // namespace

std::size_t stack_size() noexcept {
  return static_cast<std::size_t>(&stack_end - &stack_begin) * sizeof(std::uint32_t);
}

std::size_t stack_high_water() noexcept {
  const std::uint32_t* const lowest =
      std::find_if(&stack_begin, &stack_end, [](std::uint32_t word) { return word != paint; });
  return static_cast<std::size_t>(&stack_end - lowest) * sizeof(std::uint32_t);
}

}  // namespace embedded

void reset_handler() {
  std::copy(&data_image, &data_image + (&data_end - &data_begin), &data_begin);
  std::fill(&bss_begin, &bss_end, 0);
  // Down to the current stack pointer, minus what the call may push.
  auto* const in_use = static_cast<std::uint32_t*>(__builtin_frame_address(0)) - 32;
  std::fill(&stack_begin, in_use, embedded::paint);
  std::for_each(&init_array_begin, &init_array_end, [](auto construct) { construct(); });
  embedded::leave(main());
}

void fault_handler() {
  embedded::leave(embedded::ending::fault);
}
void unexpected_nmi() {
  embedded::leave(embedded::ending::non_maskable);
}
void unexpected_interrupt() {
  embedded::leave(embedded::ending::unexpected_interrupt);
}
