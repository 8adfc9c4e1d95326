// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace tactor::inline v0 {

/// Destination of text: a file, a socket, a serial line, a buffer. Context: the writing thread.
class text_sink {
public:
  /// Takes the next piece, which need not be a whole line and is valid during the call only.
  virtual void write(std::string_view piece) noexcept = 0;

protected:
  ~text_sink() = default;
};

/// Writes words and numbers to a sink, without memory, streams or locales. Context: owner only.
class text_writer {
public:
  explicit constexpr text_writer(text_sink& to) noexcept : to_(to) {}

  text_writer& operator<<(std::string_view piece) noexcept {
    to_.write(piece);
    return *this;
  }

  /// Writes `number` in decimal digits.
  template <std::unsigned_integral Number>
    requires(!std::same_as<Number, bool> && !std::same_as<Number, char8_t> &&
             !std::same_as<Number, char16_t> && !std::same_as<Number, char32_t>)
  text_writer& operator<<(Number number) noexcept {
    char digits[most_digits];
    std::size_t first = most_digits;
    std::uint64_t rest = number;
    do {
      digits[--first] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    to_.write({digits + first, most_digits - first});
    return *this;
  }

private:
  static constexpr std::size_t most_digits = std::numeric_limits<std::uint64_t>::digits10 + 1;

  text_sink& to_;
};

}  // namespace tactor::inline v0
