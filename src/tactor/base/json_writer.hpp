// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/text_writer.hpp"
#include "tactor/base/utf8.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tactor::inline v0::internal {

/// Counts the bytes of `value` that stand for themselves in a quoted text.
[[nodiscard]] inline std::size_t plain_length(std::string_view value) noexcept {
  std::size_t plain = 0;
  while (plain < value.size()) {
    const std::string_view rest{value.data() + plain, value.size() - plain};
    const char letter = rest.front();
    const std::size_t length = utf8_length(rest);
    const bool is_plain = length != 0 && letter != '"' && letter != '\\' &&
                          static_cast<unsigned char>(letter) >= 0x20;
    if (!is_plain) break;
    plain += length;
  }
  return plain;
}

/// Writes any bytes in quotes, as in JSON: what is not UTF-8 is written as U+FFFD.
inline void write_quoted(text_writer& to, std::string_view value) noexcept {
  constexpr std::string_view digits = "0123456789abcdef";
  to << "\"";
  while (true) {
    const std::size_t plain = plain_length(value);
    to << std::string_view{value.data(), plain};
    value.remove_prefix(plain);
    if (value.empty()) break;
    const auto code = static_cast<unsigned char>(value.front());
    if (code >= 0x80) {
      to << "\\ufffd";
    } else if (code >= 0x20) {
      to << "\\" << std::string_view{value.data(), 1};
    } else {
      to << "\\u00" << std::string_view{&digits[code / 16], 1}
         << std::string_view{&digits[code % 16], 1};
    }
    value.remove_prefix(1);
  }
  to << "\"";
}

/// Writes JSON: values one after the other, with commas between them. Context: owner only.
class json_writer {
public:
  explicit json_writer(text_sink& to) noexcept : out_(to) {}

  /// Begins an object or a list: '{' or '['.
  json_writer& open(char bracket) noexcept {
    separate();
    put(bracket);
    first_ = true;
    return *this;
  }
  /// Ends it: '}' or ']'.
  json_writer& close(char bracket) noexcept {
    put(bracket);
    first_ = false;
    return *this;
  }
  /// Writes the name of the value that follows.
  json_writer& key(std::string_view name) noexcept {
    text(name);
    put(':');
    first_ = true;
    return *this;
  }

  void number(std::uint64_t value) noexcept {
    separate();
    out_ << value;
  }
  /// Writes a number of thousandths as a decimal fraction.
  void thousandths(std::uint64_t value) noexcept {
    separate();
    const std::uint64_t rest = value % 1000;
    out_ << value / 1000 << "." << rest / 100 << rest / 10 % 10 << rest % 10;
  }
  void flag(bool value) noexcept { word(value ? "true" : "false"); }
  void nothing() noexcept { word("null"); }
  /// Any bytes; see write_quoted.
  void text(std::string_view value) noexcept {
    separate();
    write_quoted(out_, value);
  }

  // A value with its name.
  void number(std::string_view name, std::uint64_t value) noexcept { key(name).number(value); }
  void text(std::string_view name, std::string_view value) noexcept { key(name).text(value); }
  void flag(std::string_view name, bool value) noexcept { key(name).flag(value); }
  /// Writes a number of more than 53 bits as text.
  void quoted_number(std::string_view name, std::uint64_t value) noexcept {
    key(name).separate();
    out_ << "\"" << value << "\"";
  }
  template <class Number>
  void number(std::string_view name, const std::optional<Number>& value) noexcept {
    key(name);
    if (value) return number(std::uint64_t{*value});
    nothing();
  }

  /// Returns: the writer, for text that is not JSON.
  [[nodiscard]] text_writer& plain() noexcept { return out_; }

private:
  void put(char letter) noexcept { out_ << std::string_view{&letter, 1}; }
  void word(std::string_view value) noexcept {
    separate();
    out_ << value;
  }
  void separate() noexcept {
    if (!first_) put(',');
    first_ = false;
  }

  text_writer out_;
  bool first_ = true;
};

}  // namespace tactor::inline v0::internal
