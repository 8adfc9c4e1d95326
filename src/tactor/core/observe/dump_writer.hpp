// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/text_sink.hpp"
#include "tactor/base/text_writer.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/base/utf8.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tactor::inline v0::internal {

/// Writes groups of fields and lists of groups: as lines of `name: key=value …`, or as one JSON
/// object. Context: owner only.
class dump_writer {
public:
  enum class json : bool { no, yes };

  dump_writer(json format, text_sink& to) noexcept : json_(format == json::yes), out_(to) {
    if (json_) out_ << "{";
  }
  /// Ends the dump.
  void end() noexcept {
    if (json_) out_ << "}\n";
  }

  /// Begins a group of fields.
  void group(std::string_view name) noexcept {
    if (json_) {
      separate();
      out_ << "\"" << name << "\":{";
    } else {
      out_ << name << ":";
    }
    first_ = true;
  }
  /// Ends a group, or a group in a list.
  void end_group() noexcept {
    out_ << (json_ ? "}" : "\n");
    first_ = false;
  }

  /// Begins a list of groups.
  void list(std::string_view name) noexcept {
    list_ = name;
    if (!json_) return;
    separate();
    out_ << "\"" << name << "\":[";
    first_ = true;
  }
  /// Begins a group in a list.
  void item() noexcept {
    if (json_) {
      separate();
      out_ << "{";
    } else {
      out_ << list_ << ":";
    }
    first_ = true;
  }
  /// Ends a list.
  void end_list() noexcept {
    if (json_) out_ << "]";
    first_ = false;
  }

  void number(std::string_view name, std::uint64_t value) noexcept {
    key(name);
    out_ << value;
  }
  void number(std::string_view name, std::optional<tick> value) noexcept {
    if (value) return number(name, std::uint64_t{value->count});
    absent(name);
  }
  /// A field without a value.
  void absent(std::string_view name) noexcept {
    key(name);
    out_ << (json_ ? "null" : "-");
  }
  /// A text of any contents, in quotes. What is not UTF-8 is written as U+FFFD: JSON does not allow it.
  void text(std::string_view name, std::string_view value) noexcept {
    key(name);
    out_ << "\"";
    while (!value.empty()) {
      const std::size_t length = utf8_length(value);
      if (length == 0) out_ << "\\ufffd";
      if (length == 1) letter(value.front());
      if (length > 1) out_ << std::string_view{value.data(), length};
      value.remove_prefix(length == 0 ? 1 : length);
    }
    out_ << "\"";
  }
  /// Begins a part that another writer writes, as one value.
  void part(std::string_view name) noexcept {
    if (json_) {
      key(name);
    } else {
      out_ << name << ":\n";
    }
  }
  void word(std::string_view name, std::string_view value) noexcept {
    key(name);
    quote();
    out_ << value;
    quote();
  }
  void id(std::uint64_t value) noexcept {
    key("id");
    quote();
    out_ << value;
    quote();
  }

private:
  void letter(char each) noexcept {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto code = static_cast<unsigned char>(each);
    if (each == '"' || each == '\\') out_ << "\\";
    if (code >= 0x20) {
      out_ << std::string_view{&each, 1};
    } else {
      out_ << "\\u00" << std::string_view{&digits[code / 16], 1}
           << std::string_view{&digits[code % 16], 1};
    }
  }
  void separate() noexcept {
    if (!first_) out_ << ",";
    first_ = false;
  }
  void key(std::string_view name) noexcept {
    if (json_) {
      separate();
      out_ << "\"" << name << "\":";
    } else {
      out_ << " " << name << "=";
    }
  }
  void quote() noexcept {
    if (json_) out_ << "\"";
  }

  bool json_;
  text_writer out_;
  bool first_ = true;
  std::string_view list_;
};

}  // namespace tactor::inline v0::internal
