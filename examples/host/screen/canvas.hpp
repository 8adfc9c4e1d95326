// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace showcase {

enum class weight : std::uint8_t { normal, bold };
enum class colours : std::uint8_t { off, on };

/// The look of a character. Colours are those of a terminal with 256; 0 is the terminal's own.
struct style {
  std::uint8_t ink = 0;
  std::uint8_t paper = 0;
  weight strength = weight::normal;

  friend constexpr bool operator==(style, style) = default;
};

/// The place of a character, from the top left.
struct spot {
  constexpr spot(std::size_t down, std::size_t right) : row(down), column(right) {}

  std::size_t row;
  std::size_t column;
};

/// A grid of characters that becomes the text of one frame. It cuts off text outside, so a picture
/// need not know how small the terminal is.
class canvas {
public:
  canvas(std::size_t rows, std::size_t columns);

  /// Puts UTF-8 text, one cell per character; none of them may be wide.
  void put(spot where, std::string_view text, style how = {});

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }

  /// Returns: the rows down to the last that is not empty, without spaces at their ends.
  [[nodiscard]] std::vector<std::string> lines(colours use) const;

private:
  struct cell {
    std::string glyph = " ";
    style how;
  };

  [[nodiscard]] std::string line(std::size_t row, colours use) const;

  std::size_t rows_;
  std::size_t columns_;
  std::vector<cell> cells_;
};

}  // namespace showcase
