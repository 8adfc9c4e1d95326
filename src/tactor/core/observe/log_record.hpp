// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/text_writer.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tactor::inline v0 {

/// The severity, the worst last.
enum class log_level : std::uint8_t { debug, info, warning, error };

/// The level as written in a line.
[[nodiscard]] constexpr const char* to_text(log_level level) noexcept {
  switch (level) {
  case log_level::debug:
    return "debug";
  case log_level::info:
    return "info";
  case log_level::warning:
    return "warning";
  case log_level::error:
    return "error";
  }
  return "unknown";
}

/// The topics of records. Each kind has its own limit, so a flood of one kind hides no other.
enum class log_kind : std::uint8_t {
  general,      // texts of actors (`context::log`), and everything else
  dead_letter,  // a message that no actor handled
  failure,      // an actor failed
  mailbox,      // a mailbox or a pool was full
  timer,        // the scheduler's warnings
  system,       // shutdown, a failure past the root, refused spawns, blocked workers, misuse
};
/// The number of kinds.
inline constexpr std::size_t log_kinds = 6;

/// The kind as written in a line.
[[nodiscard]] constexpr const char* to_text(log_kind kind) noexcept {
  switch (kind) {
  case log_kind::general:
    return "general";
  case log_kind::dead_letter:
    return "dead_letter";
  case log_kind::failure:
    return "failure";
  case log_kind::mailbox:
    return "mailbox";
  case log_kind::timer:
    return "timer";
  case log_kind::system:
    return "system";
  }
  return "unknown";
}
static_assert(std::string_view{to_text(log_kind{log_kinds - 1})} == "system");

/// A detail of a record: a name and a text or a number. A field with an empty text is not written.
/// Keeps nothing alive.
class log_field {
public:
  constexpr log_field(std::string_view name, std::string_view text) noexcept
      : name_(name), text_(text) {}
  template <std::unsigned_integral Number>
  constexpr log_field(std::string_view name, Number number) noexcept
      : name_(name), number_(number), is_number_(true) {}

  [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }
  [[nodiscard]] constexpr bool is_number() const noexcept { return is_number_; }
  /// Requires: it is a number.
  [[nodiscard]] constexpr std::uint64_t number() const noexcept { return number_; }
  /// Requires: it is not a number.
  [[nodiscard]] constexpr std::string_view text() const noexcept { return text_; }

private:
  std::string_view name_;
  std::string_view text_;
  std::uint64_t number_ = 0;
  bool is_number_ = false;
};

/// One event, in parts, which the sink puts together. All texts are valid only during the call that
/// passes it.
struct log_record {
  log_level level = log_level::info;
  log_kind kind = log_kind::general;
  std::uint64_t time_ns = 0;    // since the system started
  std::string_view actor = {};  // its path; empty: not about an actor
  std::string_view text = {};
  std::span<const log_field> fields = {};
  std::string_view system = {};  // its name, set by the logger; empty: it has none
};

/// Writes `record` as one line, whatever its texts contain; without empty fields:
/// `12.000345 warning /user/shop: a message was not handled reason=stopped type="shop order"`.
void write_line(text_sink& to, const log_record& record) noexcept;

}  // namespace tactor::inline v0
