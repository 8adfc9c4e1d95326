// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace command {
namespace {

/// A character of UTF-8. `length` 0: the first byte belongs to none.
struct letter {
  std::uint32_t code = 0;
  std::size_t length = 0;
};

letter first_letter(std::string_view in) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(in[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {.code = lead, .length = 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || in.size() < length) return {};
  std::uint32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < least[length] || code > 0x10FFFF || surrogate) return {};
  return {.code = code, .length = length};
}

/// Marks that change the direction of text, line separators, and characters without a width.
bool is_deceptive(std::uint32_t code) {
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 6> ranges{{{0x061C, 0x061C},
                                                                           {0x200B, 0x200F},
                                                                           {0x2028, 0x202E},
                                                                           {0x2060, 0x206F},
                                                                           {0xFEFF, 0xFEFF},
                                                                           {0xFFF9, 0xFFFB}}};
  return std::ranges::any_of(
      ranges, [&](const auto& range) { return code >= range.first && code <= range.second; });
}

std::string escaped(const char* form, std::uint32_t code) {
  std::array<char, 16> text{};
  const int length = std::snprintf(text.data(), text.size(), form, code);
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string with_unit(double value, const char* unit) {
  std::array<char, 32> text{};
  const int length =
      std::snprintf(text.data(), text.size(), value < 9.95 ? "%.1f%s" : "%.0f%s", value, unit);
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string two_units(std::uint64_t large, char large_unit, std::uint64_t small, char small_unit) {
  return std::to_string(large) + large_unit + " " + std::to_string(small) + small_unit;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const letter next = first_letter(text);
    const std::size_t length = std::max<std::size_t>(next.length, 1);
    if (next.length == 0) {
      shown += escaped("\\x%02x", static_cast<unsigned char>(text.front()));
    } else if (next.code < 0x20 || (next.code >= 0x7F && next.code < 0xA0)) {
      shown += escaped("\\x%02x", next.code);
    } else if (is_deceptive(next.code)) {
      shown += escaped("\\u%04x", next.code);
    } else {
      shown += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return shown;
}

std::string printable_lines(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    shown += printable(text.substr(0, end));
    if (end < text.size()) shown += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return shown;
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char each) { return (static_cast<unsigned char>(each) & 0xC0U) != 0x80; }));
}

std::string cut_to(std::string_view text, std::size_t columns) {
  if (width_of(text) <= columns) return std::string{text};
  if (columns == 0) return {};
  std::size_t end = 0;
  for (std::size_t width = 1; width < columns; ++width)
    end += std::max<std::size_t>(first_letter(text.substr(end)).length, 1);
  return std::string{text.substr(0, end)} + "…";
}

std::string duration_text(std::uint64_t ns) {
  const auto value = static_cast<double>(ns);
  if (ns < 1'000) return std::to_string(ns) + "ns";
  if (ns < 1'000'000) return with_unit(value / 1e3, "us");
  if (ns < 1'000'000'000) return with_unit(value / 1e6, "ms");
  const std::uint64_t seconds = ns / 1'000'000'000;
  if (seconds < 60) return with_unit(value / 1e9, "s");
  if (seconds < 3'600) return two_units(seconds / 60, 'm', seconds % 60, 's');
  if (seconds < 86'400) return two_units(seconds / 3'600, 'h', seconds / 60 % 60, 'm');
  return two_units(seconds / 86'400, 'd', seconds / 3'600 % 24, 'h');
}

std::string duration_text(const std::optional<std::uint64_t>& ns) {
  return ns ? duration_text(*ns) : "-";
}

std::string short_number(const std::optional<std::uint64_t>& value) {
  if (!value) return "-";
  if (*value < 10'000) return std::to_string(*value);
  auto rest = static_cast<double>(*value);
  constexpr std::array units{"", "k", "M", "G", "T", "P", "E"};
  std::size_t unit = 0;
  for (; rest >= 999.5 && unit + 1 < units.size(); ++unit)
    rest /= 1'000;
  return with_unit(rest, units[unit]);
}

table::table(std::vector<std::pair<std::string, align>> columns) {
  std::vector<std::string> heading;
  for (auto& [name, how] : columns) {
    heading.push_back(std::move(name));
    aligned_.push_back(how);
  }
  rows_.push_back(std::move(heading));
}

void table::add(std::vector<std::string> cells) {
  cells.resize(aligned_.size());
  for (std::string& each : cells)
    each = printable(each);
  rows_.push_back(std::move(cells));
}

std::vector<std::string> table::lines() const {
  std::vector<std::size_t> widths(aligned_.size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width_of(row[i]));
  std::vector<std::string> all;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - width_of(row[i]), ' ');
      if (i > 0) line += "  ";
      line += aligned_[i] == align::right ? space + row[i] : row[i] + space;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    all.push_back(std::move(line));
  }
  return all;
}

}  // namespace command
