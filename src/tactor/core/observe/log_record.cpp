// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/observe/log_record.hpp"

#include "tactor/base/text_writer.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactor::inline v0 {
namespace {

constexpr bool is_control(char c) noexcept {
  const auto code = static_cast<unsigned char>(c);
  return code < 0x20 || code == 0x7F;
}

enum class inside : bool { line, quotes };

/// Returns the text that stands for `c`, if it must be escaped.
struct escape {
  std::string_view text;
  bool needed;
};
constexpr escape escape_of(char c, inside where) noexcept {
  if (c == '\n') return {.text = "\\n", .needed = true};
  if (c == '\t') return {.text = "\\t", .needed = true};
  if (is_control(c)) return {.text = "?", .needed = true};
  if (where == inside::quotes && c == '"') return {.text = "\\\"", .needed = true};
  if (where == inside::quotes && c == '\\') return {.text = "\\\\", .needed = true};
  return {.text = {}, .needed = false};
}

// With pointers: `substr` may throw and needs a library that no target has.
void write_inside(text_sink& to, std::string_view text, inside where) noexcept {
  std::size_t begin = 0;
  for (std::size_t i = 0; i != text.size(); ++i) {
    const escape instead = escape_of(text[i], where);
    if (!instead.needed) continue;
    if (i != begin) to.write({text.data() + begin, i - begin});
    to.write(instead.text);
    begin = i + 1;
  }
  if (begin != text.size()) to.write({text.data() + begin, text.size() - begin});
}

constexpr bool needs_quotes(std::string_view value) noexcept {
  for (const char each : value)
    if (each == ' ' || each == '"' || each == '=' || is_control(each)) return true;
  return false;
}

void write_field(text_sink& to, const log_field& field) noexcept {
  if (!field.is_number() && field.text().empty()) return;
  to.write(" ");
  write_inside(to, field.name(), inside::line);
  to.write("=");
  if (field.is_number()) {
    text_writer{to} << field.number();
  } else if (needs_quotes(field.text())) {
    to.write("\"");
    write_inside(to, field.text(), inside::quotes);
    to.write("\"");
  } else {
    to.write(field.text());
  }
}

/// In seconds, with six digits behind the point.
void write_time(text_sink& to, std::uint64_t ns) noexcept {
  constexpr std::uint64_t second = 1'000'000'000;
  text_writer{to} << ns / second;
  auto micros = static_cast<std::uint32_t>(ns % second / 1000);
  char digits[7] = {'.'};
  for (std::size_t i = 6; i != 0; --i, micros /= 10)
    digits[i] = static_cast<char>('0' + micros % 10);
  to.write({digits, sizeof(digits)});
}

}  // namespace

void write_line(text_sink& to, const log_record& record) noexcept {
  write_time(to, record.time_ns);
  text_writer{to} << " " << to_text(record.level) << " ";
  if (!record.system.empty()) {
    write_inside(to, record.system, inside::line);
    to.write(" ");
  }
  if (!record.actor.empty()) {
    write_inside(to, record.actor, inside::line);
    to.write(": ");
  }
  write_inside(to, record.text, inside::line);
  for (const log_field& each : record.fields)
    write_field(to, each);
  to.write("\n");
}

}  // namespace tactor::inline v0
