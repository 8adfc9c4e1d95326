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

/// Returns: true if standard output is a terminal that can show a moving picture.
[[nodiscard]] bool has_terminal();

/// Returns: the size of the terminal; the variable COLUMNS makes it narrower.
[[nodiscard]] terminal_size size_of_terminal();

/// Returns: `on`, unless the variable NO_COLOR is set and not empty.
[[nodiscard]] colours wanted_colours();

/// Lets Ctrl-C, a hang-up and a request to end only set a flag from now on, so that the terminal is
/// restored first.
void catch_interrupts();
/// Returns: true if one of them has come.
[[nodiscard]] bool interrupted();

/// Switches the terminal to its second screen, without a cursor and without Ctrl-Z, as long as this
/// lives; the destructor restores the terminal.
class second_screen {
public:
  second_screen();
  ~second_screen();
  second_screen(const second_screen&) = delete;
  second_screen& operator=(const second_screen&) = delete;

  /// Replaces the text on the screen, in one write.
  void show(std::span<const std::string> lines);
};

}  // namespace showcase
