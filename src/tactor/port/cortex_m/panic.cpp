// SPDX-License-Identifier: BSL-1.0
#include "tactor/port/port.hpp"

#include <cstdint>

namespace tactor::inline v0::port {
namespace {

// Written by: set_panic_handler, panic. Read by: panic. Publishes: nothing but the pointer.
constinit atomic<panic_handler> current_handler;

}  // namespace

void internal::panic_with(std::uint32_t number) noexcept {
  // Taken, not read: a handler that panics would otherwise recurse until the stack overflows.
  const panic_handler handler =
      current_handler.exchange(nullptr, relaxed);  // relaxed: publishes no data
  if (handler != nullptr) {
    handler({.module = static_cast<std::uint16_t>(number >> 16),
             .id = static_cast<std::uint16_t>(number),
             .advice = nullptr});
  }
  static_cast<void>(mask_interrupts());
  register std::uint32_t reported asm("r0") = number;
  // Escalates to HardFault even with masked interrupts; the loop is for a handler that returns.
  for (;;)
    asm volatile("udf #0" : : "r"(reported));
}

panic_handler set_panic_handler(panic_handler handler) noexcept {
  return current_handler.exchange(handler, relaxed);  // relaxed: publishes no data
}

}  // namespace tactor::inline v0::port
