// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/json_writer.hpp"
#include "tactor/base/text_writer.hpp"
#include "tactor/base/tick.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace tactor::inline v0::internal {

/// Writes groups of fields and lists of groups: as lines of `name: key=value …`, or as one JSON
/// object. Context: owner only.
class dump_writer {
public:
  enum class form : bool { lines, object };

  dump_writer(json_writer& to, form as) noexcept : out_(to), json_(as == form::object) {
    if (json_) out_.open('{');
  }
  /// Ends the dump, or a part of it.
  void end() noexcept {
    if (json_) out_.close('}');
  }

  /// Begins a part, until `end`.
  void part(std::string_view name) noexcept {
    if (json_) {
      out_.key(name).open('{');
    } else {
      out_.plain() << name << ":\n";
    }
  }
  /// Begins a group of fields.
  void group(std::string_view name) noexcept {
    if (json_) {
      out_.key(name).open('{');
    } else {
      out_.plain() << name << ":";
    }
  }
  /// Begins a list of groups.
  void list(std::string_view name) noexcept {
    list_ = name;
    if (json_) out_.key(name).open('[');
  }
  /// Begins a group in a list.
  void item() noexcept {
    if (json_) {
      out_.open('{');
    } else {
      out_.plain() << list_ << ":";
    }
  }
  /// Ends a group, or a group in a list.
  void end_group() noexcept {
    if (json_) {
      out_.close('}');
    } else {
      out_.plain() << "\n";
    }
  }
  /// Ends a list.
  void end_list() noexcept {
    if (json_) out_.close(']');
  }

  void number(std::string_view name, std::uint64_t value) noexcept {
    if (json_) return out_.number(name, value);
    key(name) << value;
  }
  /// A number that may be absent.
  void number(std::string_view name, std::optional<std::uint64_t> value) noexcept {
    if (json_) return out_.number(name, value);
    if (value) return number(name, *value);
    key(name) << "-";
  }
  void number(std::string_view name, std::optional<tick> value) noexcept {
    number(name, value ? std::optional{std::uint64_t{value->count}} : std::nullopt);
  }
  /// A text of any contents, in quotes. What is not UTF-8 is written as U+FFFD.
  void text(std::string_view name, std::string_view value) noexcept {
    if (json_) return out_.text(name, value);
    write_quoted(key(name), value);
  }
  /// A word without letters that need quotes.
  void word(std::string_view name, std::string_view value) noexcept {
    if (json_) return out_.text(name, value);
    key(name) << value;
  }
  void id(std::uint64_t value) noexcept {
    if (json_) return out_.quoted_number("id", value);
    key("id") << value;
  }

private:
  text_writer& key(std::string_view name) noexcept { return out_.plain() << " " << name << "="; }

  json_writer& out_;
  bool json_;
  std::string_view list_;
};

}  // namespace tactor::inline v0::internal
