// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/request/json_fields.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

constexpr std::size_t most_members = 16;

void append_utf8(std::string& to, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { to += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0 | code >> 6U);
  } else {
    if (code < 0x1'0000) {
      byte(0xE0 | code >> 12U);
    } else {
      byte(0xF0 | code >> 18U);
      byte(0x80 | (code >> 12U & 0x3FU));
    }
    byte(0x80 | (code >> 6U & 0x3FU));
  }
  byte(0x80 | (code & 0x3FU));
}

/// Removes the digits at the beginning of `text`. Returns: the number of digits.
std::size_t take_digits(std::string_view& text) noexcept {
  const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(count);
  return count;
}
/// Removes the first letter of `text` if it is one of `letters`. Returns: true if it did.
bool take_one_of(std::string_view letters, std::string_view& text) noexcept {
  const bool is_there = !text.empty() && letters.contains(text.front());
  text.remove_prefix(is_there ? 1 : 0);
  return is_there;
}
/// Returns: true if all of `text` is a number of JSON (RFC 8259, section 6), of any size.
bool is_number(std::string_view text) noexcept {
  (void)take_one_of("-", text);
  const bool is_zero = text.starts_with('0');
  const std::size_t whole = take_digits(text);
  if (whole == 0 || (is_zero && whole > 1)) return false;
  if (take_one_of(".", text) && take_digits(text) == 0) return false;
  if (take_one_of("eE", text)) {
    (void)take_one_of("+-", text);
    if (take_digits(text) == 0) return false;
  }
  return text.empty();
}

/// Reads a text from its beginning to its end.
class reader {
public:
  explicit reader(std::string_view text) noexcept : rest_(text) {}

  /// Skips spaces, and takes the next letter if it is this one. Returns: true if it did.
  bool takes(char letter) noexcept {
    skip_spaces();
    if (!rest_.starts_with(letter)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  [[nodiscard]] bool is_at_end() noexcept {
    skip_spaces();
    return rest_.empty();
  }

  std::optional<std::string> text() {
    if (!takes('"')) return std::nullopt;
    std::string value;
    while (!rest_.empty()) {
      const char letter = rest_.front();
      rest_.remove_prefix(1);
      if (letter == '"') return value;
      if (static_cast<unsigned char>(letter) < 0x20) return std::nullopt;
      if (letter != '\\') {
        value += letter;
      } else if (!take_escape(value)) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }
  std::optional<std::string> value() {
    skip_spaces();
    return rest_.starts_with('"') ? text() : word();
  }

private:
  /// Reads a number, or a word.
  std::optional<std::string> word() {
    constexpr std::string_view letters = "+-.0123456789Eaeflnrstu";
    skip_spaces();
    std::string value{rest_.substr(0, rest_.find_first_not_of(letters))};
    rest_.remove_prefix(value.size());
    if (is_number(value) || value == "true" || value == "false" || value == "null") return value;
    return std::nullopt;
  }
  void skip_spaces() noexcept {
    while (!rest_.empty() && std::string_view{" \t\r\n"}.contains(rest_.front()))
      rest_.remove_prefix(1);
  }
  std::optional<std::uint32_t> four_digits() noexcept {
    std::uint32_t code = 0;
    const char* const at = rest_.data();
    if (rest_.size() < 4 || std::from_chars(at, at + 4, code, 16).ptr != at + 4)
      return std::nullopt;
    rest_.remove_prefix(4);
    return code;
  }
  bool take_escape(std::string& to) {
    if (rest_.empty()) return false;
    constexpr std::string_view names = "\"\\/bfnrt";
    constexpr std::string_view letters = "\"\\/\b\f\n\r\t";
    const char name = rest_.front();
    rest_.remove_prefix(1);
    if (name != 'u') {
      const std::size_t at = names.find(name);
      if (at != std::string_view::npos) to += letters[at];
      return at != std::string_view::npos;
    }
    auto code = four_digits();
    if (!code || (*code >= 0xDC00 && *code < 0xE000)) return false;
    if (*code >= 0xD800 && *code < 0xDC00) {
      if (!rest_.starts_with("\\u")) return false;
      rest_.remove_prefix(2);
      const auto low = four_digits();
      if (!low || *low < 0xDC00 || *low >= 0xE000) return false;
      code = 0x1'0000 + ((*code - 0xD800) << 10U) + (*low - 0xDC00);
    }
    append_utf8(to, *code);
    return true;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<json_fields> json_fields::parse(std::string_view text) {
  reader from{text};
  json_fields object;
  if (!from.takes('{')) return std::nullopt;
  bool is_over = from.takes('}');
  while (!is_over) {
    auto name = from.text();
    if (!name || object.find(*name) != nullptr || !from.takes(':')) return std::nullopt;
    auto value = from.value();
    if (!value || object.all.size() == most_members) return std::nullopt;
    object.all.emplace_back(std::move(*name), std::move(*value));
    is_over = from.takes('}');
    if (!is_over && !from.takes(',')) return std::nullopt;
  }
  if (!from.is_at_end()) return std::nullopt;
  return object;
}

const std::string* json_fields::find(std::string_view name) const noexcept {
  for (const auto& [each, value] : all)
    if (each == name) return &value;
  return nullptr;
}

}  // namespace tactor::inline v0::internal
