// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace showcase {

/// Formats text like `printf`: g++ 12 has no `std::format`.
template <class... Arguments>
std::string text(const char* format, Arguments... arguments) {
  std::array<char, 240> line{};
  const int length = std::snprintf(line.data(), line.size(), format, arguments...);
  return {line.data(), std::min(static_cast<std::size_t>(length), line.size() - 1)};
}

/// Converts a number to a type that `%llu` takes on every platform.
constexpr unsigned long long number(std::uint64_t value) {
  return value;
}

/// Returns: a length of time in the unit that keeps it short.
inline std::string length_of(std::uint64_t ns) {
  const double us = static_cast<double>(ns) / 1e3;
  if (us < 10'000) return text("%.0f µs", us);
  return us < 10'000'000 ? text("%.0f ms", us / 1e3) : text("%.0f s", us / 1e6);
}

inline std::string repeated(const char* glyph, std::size_t times) {
  std::string row;
  for (std::size_t i = 0; i < times; ++i)
    row += glyph;
  return row;
}

}  // namespace showcase
