// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

namespace tactor::inline v0::internal {

/// Counts the bytes of the first character of a UTF-8 text. Returns: 0 if it is not UTF-8:
/// truncated, longer than necessary, a surrogate, or too large. Requires: `in` is not empty.
constexpr std::size_t utf8_length(std::string_view in) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(in[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || in.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  const bool too_long = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) >= 0xA0;
  const bool too_large = first == 0xF4 && byte(1) >= 0x90;
  return too_long || surrogate || too_large ? 0 : length;
}

}  // namespace tactor::inline v0::internal
