// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace command {

/// Returns: the text with everything escaped that could change what a terminal does or shows:
/// control characters ("\x1b"), those of C1, marks that change the direction of text ("\u202e"),
/// line separators, and bytes that are not UTF-8.
[[nodiscard]] std::string printable(std::string_view text);
/// Returns: the text with each line made `printable`; the ends of lines stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// Returns: the number of columns that a text of `printable` takes, one for each character.
[[nodiscard]] std::size_t width_of(std::string_view text);
/// Returns: the beginning of the text, with "…" at the end if it does not fit.
[[nodiscard]] std::string cut_to(std::string_view text, std::size_t columns);

/// Returns: a time like "950ns", "12us", "1.5ms", "3.2s", "4m 10s", "2h 5m", "3d 4h".
[[nodiscard]] std::string duration_text(std::uint64_t ns);
/// Returns: a time; "-" if there is no number.
[[nodiscard]] std::string duration_text(const std::optional<std::uint64_t>& ns);
/// Returns: a number like "17", "12.3k", "4.6M"; "-" if there is none.
[[nodiscard]] std::string short_number(const std::optional<std::uint64_t>& value);

/// Rows of text in columns. The first row is the heading.
class table {
public:
  enum class align : std::uint8_t { left, right };

  explicit table(std::vector<std::pair<std::string, align>> columns);
  /// Adds a row. Its cells are made printable.
  void add(std::vector<std::string> cells);
  /// Returns: the lines of the table.
  [[nodiscard]] std::vector<std::string> lines() const;

private:
  std::vector<align> aligned_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace command
