// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

/// What the tests use of the processor: SysTick, pended interrupts, the stack.
/// The nRF51 has no SysTick; the emulated micro:bit has.
namespace embedded {

inline volatile std::uint32_t& system_register(std::uintptr_t address) noexcept {
  return *reinterpret_cast<volatile std::uint32_t*>(address);
}

/// What was written to system registers has taken effect, and interrupts it caused have been taken.
inline void finish_accesses() noexcept {
  asm volatile("dsb\n\tisb" : : : "memory");
}

/// The 24-bit down counter of the core, at the core's clock.
class sys_tick {
public:
  /// Interrupts every `period` counts from now on. Requires: 2 <= period <= 2^24.
  static void start(std::uint32_t period) noexcept {
    set_next_period(period);
    system_register(current_value) = 0;
    system_register(control) = 7;  // core clock, interrupt, enabled
  }
  /// Counts from here to zero without interrupting; for measuring.
  static void start_silently() noexcept {
    set_next_period(0x100'0000);
    system_register(current_value) = 0;
    system_register(control) = 5;
  }
  /// Takes effect when the period that runs now is over.
  static void set_next_period(std::uint32_t period) noexcept {
    system_register(reload_value) = period - 1;
  }
  /// Once this returns, its interrupt has come or never will.
  static void stop() noexcept {
    system_register(control) = 0;
    finish_accesses();
  }
  [[nodiscard]] static std::uint32_t value() noexcept { return system_register(current_value); }

private:
  static constexpr std::uintptr_t control = 0xE000'E010;
  static constexpr std::uintptr_t reload_value = 0xE000'E014;
  static constexpr std::uintptr_t current_value = 0xE000'E018;
};

/// Lets external interrupt `number` (0 to 31) through.
inline void enable_interrupt(unsigned number) noexcept {
  system_register(0xE000'E100) = 1u << number;
}

/// Makes external interrupt `number` (0 to 31) happen, as soon as it is enabled and not masked.
inline void pend_interrupt(unsigned number) noexcept {
  system_register(0xE000'E200) = 1u << number;
  finish_accesses();
}

/// The most that the stack has held since reset, in bytes.
[[nodiscard]] std::size_t stack_high_water() noexcept;
[[nodiscard]] std::size_t stack_size() noexcept;

}  // namespace embedded

// Interrupt handlers that an image may define. Those it does not define end the run, see
// `embedded::ending`.
extern "C" {
void non_maskable_handler();
void pend_sv_handler();
void sys_tick_handler();
void irq_0_handler();
void irq_1_handler();
void irq_2_handler();
void irq_3_handler();
void irq_4_handler();
void irq_5_handler();
void irq_6_handler();
void irq_7_handler();
void irq_8_handler();
void irq_9_handler();
}
