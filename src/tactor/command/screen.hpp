// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace command {

struct screen_size {
  std::size_t rows = 24;
  std::size_t columns = 80;
};

/// Returns: the size of the terminal at standard output; 80 x 24 if there is none.
[[nodiscard]] screen_size size_of_screen();

/// Returns: true if standard input and output are terminals that can show a picture that changes.
[[nodiscard]] bool has_screen();

/// Switches the terminal to its second screen, keys without Enter, and no cursor, as long as this
/// lives; the destructor restores the terminal. Ctrl-C, Ctrl-\, a hang-up and a request to end only
/// set a flag meanwhile. Requires: there is one at a time.
class screen {
public:
  screen();
  ~screen();
  screen(const screen&) = delete;
  screen& operator=(const screen&) = delete;

  /// Replaces the picture.
  void show(std::span<const std::string> rows);
  /// Waits for a key. Returns: nothing if none came in time; 'q' also if the program is to end.
  [[nodiscard]] std::optional<char> next_key(std::chrono::milliseconds within);
};

}  // namespace command
