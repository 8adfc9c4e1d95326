// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactor::inline v0 {

/// A piece of text inside an event: a copy, truncated if it is long.
class event_text {
public:
  static constexpr std::size_t capacity = port::sizes::event_text;

  constexpr event_text() noexcept = default;
  constexpr explicit event_text(std::string_view text) noexcept { append(text); }

  /// Appends text, and truncates it at the capacity.
  constexpr void append(std::string_view text) noexcept {
    for (std::size_t i = 0; i < text.size() && length_ < capacity; ++i)
      text_[length_++] = text[i];
  }
  /// Appends a number.
  constexpr void append_number(std::uint32_t number) noexcept {
    char digits[10];
    std::size_t length = 0;
    do {
      digits[length++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    while (length > 0)
      append({&digits[--length], 1});
  }
  /// The text so far.
  [[nodiscard]] constexpr std::string_view view() const noexcept { return {text_, length_}; }

private:
  char text_[capacity] = {};
  std::uint8_t length_ = 0;
};

}  // namespace tactor::inline v0
