// SPDX-License-Identifier: BSL-1.0
#include "screen/canvas.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace showcase {
namespace {

/// Returns: the length of the UTF-8 character that starts with `lead`.
std::size_t length_of(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte < 0xC0) return 1;
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? 3 : 4;
}

std::string escape_of(style how) {
  std::string codes = "\x1b[0";
  if (how.strength == weight::bold) codes += ";1";
  if (how.ink != 0) codes += ";38;5;" + std::to_string(how.ink);
  if (how.paper != 0) codes += ";48;5;" + std::to_string(how.paper);
  return codes + "m";
}

}  // namespace

canvas::canvas(std::size_t rows, std::size_t columns)
    : rows_(rows), columns_(columns), cells_(rows * columns) {}

void canvas::put(spot where, std::string_view text, style how) {
  if (where.row >= rows_) return;
  while (!text.empty() && where.column < columns_) {
    const std::string_view glyph = text.substr(0, length_of(text.front()));
    cells_[where.row * columns_ + where.column++] = {.glyph = std::string{glyph}, .how = how};
    text.remove_prefix(glyph.size());
  }
}

std::vector<std::string> canvas::lines(colours use) const {
  std::vector<std::string> all;
  all.reserve(rows_);
  for (std::size_t row = 0; row < rows_; ++row)
    all.push_back(line(row, use));
  while (!all.empty() && all.back().empty())
    all.pop_back();
  return all;
}

std::string canvas::line(std::size_t row, colours use) const {
  const cell* const first = cells_.data() + row * columns_;
  std::size_t end = columns_;
  while (end > 0 && first[end - 1].glyph == " " && first[end - 1].how.paper == 0)
    --end;

  std::string text;
  style current;
  for (std::size_t column = 0; column < end; ++column) {
    const cell& here = first[column];
    if (use == colours::on && here.how != current) text += escape_of(here.how);
    current = here.how;
    text += here.glyph;
  }
  if (use == colours::on && current != style{}) text += escape_of({});
  return text;
}

}  // namespace showcase
