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

/// The size of the terminal at standard output; 80 x 24 if there is none.
[[nodiscard]] screen_size size_of_screen();

/// Whether standard input and output are terminals that can show a picture that changes.
[[nodiscard]] bool has_screen();

/// The terminal's second screen, keys without Enter, and no cursor, as long as this lives; afterwards the
/// terminal is as it was. Ctrl-C, Ctrl-\, a hang-up and a request to end only set a flag meanwhile. One at a
/// time.
class screen {
public:
  screen();
  ~screen();
  screen(const screen&) = delete;
  screen& operator=(const screen&) = delete;

  /// Replaces what is shown.
  void show(std::span<const std::string> rows);
  /// Waits for a key. Returns: nothing if none came in time; 'q' also if the program is to end.
  [[nodiscard]] std::optional<char> next_key(std::chrono::milliseconds within);
};

}  // namespace command
