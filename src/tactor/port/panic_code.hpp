// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0::port {

/// Why the program cannot go on: two numbers that fit a register, and the advice for whoever sees
/// them. A target reports the numbers alone; there the text never reaches the image.
struct panic_code {
  std::uint16_t module;
  std::uint16_t id;
  const char* advice;
};

/// Called with the reason before the program ends. It may log, reset the board, or unwind a test by
/// leaving the process; if it returns, the port ends the program.
using panic_handler = void (*)(panic_code) noexcept;

}  // namespace tactor::inline v0::port
