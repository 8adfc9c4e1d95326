// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/text_sink.hpp"
#include "tactor/base/text_writer.hpp"
#include "tactor/base/utf8.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tactor::inline v0::internal {

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
  /// The name of the value that follows.
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
  /// A number of thousandths, as a decimal fraction.
  void thousandths(std::uint64_t value) noexcept {
    separate();
    const std::uint64_t rest = value % 1000;
    out_ << value / 1000 << "." << rest / 100 << rest / 10 % 10 << rest % 10;
  }
  void flag(bool value) noexcept { word(value ? "true" : "false"); }
  void nothing() noexcept { word("null"); }
  /// Any bytes: what is not UTF-8 is written as U+FFFD.
  void text(std::string_view value) noexcept {
    separate();
    put('"');
    while (!value.empty()) {
      const std::size_t length = utf8_length(value);
      if (length == 0) out_ << "\\ufffd";
      if (length == 1) ascii(value.front());
      if (length > 1) out_ << value.substr(0, length);
      value.remove_prefix(length == 0 ? 1 : length);
    }
    put('"');
  }

  // A value with its name.
  void number(std::string_view name, std::uint64_t value) noexcept { key(name).number(value); }
  void text(std::string_view name, std::string_view value) noexcept { key(name).text(value); }
  void flag(std::string_view name, bool value) noexcept { key(name).flag(value); }
  template <class Number>
  void number(std::string_view name, const std::optional<Number>& value) noexcept {
    key(name);
    if (value) return number(std::uint64_t{*value});
    nothing();
  }

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
  void ascii(char letter) noexcept {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') put('\\');
    if (code >= 0x20) return put(letter);
    out_ << "\\u00" << digits.substr(code / 16, 1) << digits.substr(code % 16, 1);
  }

  text_writer out_;
  bool first_ = true;
};

}  // namespace tactor::inline v0::internal
