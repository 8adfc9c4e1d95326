// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

/// The parts of the processor that the tests use: SysTick, pended interrupts, the stack.
/// The nRF51 has no SysTick; the emulated micro:bit has one.
namespace embedded {

inline volatile std::uint32_t& system_register(std::uintptr_t address) noexcept {
  return *reinterpret_cast<volatile std::uint32_t*>(address);
}

/// Waits until writes to system registers have taken effect and interrupts they caused were taken.
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
  /// Takes effect when the current period is over.
  static void set_next_period(std::uint32_t period) noexcept {
    system_register(reload_value) = period - 1;
  }
  /// Afterwards its interrupt has been taken, or never will be.
  static void stop() noexcept {
    system_register(control) = 0;
    finish_accesses();
  }
  /// The period that was set last; it may not have begun yet.
  [[nodiscard]] static std::uint32_t period() noexcept { return system_register(reload_value) + 1; }
  [[nodiscard]] static std::uint32_t value() noexcept { return system_register(current_value); }

private:
  static constexpr std::uintptr_t control = 0xE000'E010;
  static constexpr std::uintptr_t reload_value = 0xE000'E014;
  static constexpr std::uintptr_t current_value = 0xE000'E018;
};

/// Enables external interrupt `number` (0 to 31).
inline void enable_interrupt(unsigned number) noexcept {
  system_register(0xE000'E100) = 1u << number;
}

/// Triggers external interrupt `number` (0 to 31), as soon as it is enabled and not masked.
inline void pend_interrupt(unsigned number) noexcept {
  system_register(0xE000'E200) = 1u << number;
  finish_accesses();
}

/// The maximum stack use since reset, in bytes.
[[nodiscard]] std::size_t stack_high_water() noexcept;
[[nodiscard]] std::size_t stack_size() noexcept;

}  // namespace embedded

// Interrupt handlers that an image may define. The others end the run, see `embedded::ending`.
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
