// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0::port {

/// The reason of a panic: two numbers that fit a register, and advice for the reader. A target
/// reports the numbers alone; there the text never reaches the image.
struct panic_code {
  std::uint16_t module;
  std::uint16_t id;
  const char* advice;
};

/// Called with the reason before the program ends. It may log, reset the board, or end the process;
/// if it returns, the port ends the program.
using panic_handler = void (*)(panic_code) noexcept;

}  // namespace tactor::inline v0::port
