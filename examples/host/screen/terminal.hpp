// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "screen/canvas.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace showcase {

struct terminal_size {
  std::size_t rows;
  std::size_t columns;
};

/// Whether standard output is a terminal that can show a moving picture.
[[nodiscard]] bool has_terminal();

/// The terminal's size; the variable COLUMNS makes it narrower.
[[nodiscard]] terminal_size size_of_terminal();

/// On, unless the variable NO_COLOR is set and not empty.
[[nodiscard]] colours wanted_colours();

/// From now on Ctrl-C, a hang-up and a request to end only set a flag, so that the terminal is put
/// right first.
void catch_interrupts();
/// Whether one of them came.
[[nodiscard]] bool interrupted();

/// The terminal's second screen, without a cursor and deaf to Ctrl-Z, as long as this lives; then
/// everything is as it was.
class second_screen {
public:
  second_screen();
  ~second_screen();
  second_screen(const second_screen&) = delete;
  second_screen& operator=(const second_screen&) = delete;

  /// Replaces what is on the screen, in one write.
  void show(std::span<const std::string> lines);
};

}  // namespace showcase
