// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

/// Talks to the emulator. Test images only: on a board without a debugger each call is a HardFault.
namespace embedded {

/// Prints to the emulator's standard output.
void write(const char* text) noexcept;
/// Writes any bytes to it.
void write_bytes(const void* bytes, std::size_t size) noexcept;
void write_number(std::uint64_t number) noexcept;
void write_number(std::int64_t number) noexcept;
void write_hex(std::uint32_t number) noexcept;

/// Exit statuses besides those of the test runner: 0 passed, 1 failed.
enum class ending : int {
  fault = 70,                 // HardFault and the specific faults
  stack_overflow = 71,        // the stack reached its lower end
  non_maskable = 75,          // NMI: the watchdog of a board
  unexpected_interrupt = 76,  // no handler in the image
  aborted = 134,              // what a shell reports for SIGABRT
};

/// Ends the emulator, whose exit status is `status`.
[[noreturn]] void leave(int status) noexcept;
[[noreturn]] void leave(ending reason) noexcept;

}  // namespace embedded
