// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/exceptions.hpp"
#include "tactor/base/text_writer.hpp"
#include "tactor/core/message/type_identity.hpp"

#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <string_view>
#include <type_traits>

namespace tactor::inline v0 {

/// A message type with a `to_string(const Message&)`, found by its argument, that returns text.
template <class Message>
concept says_itself = requires(const Message& message) {
  { to_string(message) } -> std::convertible_to<std::string_view>;
};

/// A message type with an `operator<<(std::ostream&, const Message&)`. Not checked for types of the
/// standard library and types that convert to numbers: whether they have such an operator depends
/// on what else a unit includes.
template <class Message>
concept streamable =
    (std::is_class_v<Message> || std::is_scoped_enum_v<Message>) &&
    !type_name_of<Message>.starts_with("std::") &&
    requires(std::ostream& to, const Message& message) { operator<<(to, message); };

namespace internal {

inline void write_type_and_size(text_sink& to, std::string_view type, std::size_t size) noexcept {
  text_writer{to} << type << " (" << size << (size == 1 ? " byte)" : " bytes)");
}

/// Tells whether its contents are available as text.
template <class Message>
concept has_text = says_itself<Message> || std::convertible_to<const Message&, std::string_view> ||
                   streamable<Message>;

// Calls user code from the user's translation unit, with that unit's exception setting.
inline namespace TACTOR_EXCEPTION_MODE {

namespace contents {

/// A stream buffer without a buffer. A template, so that only units that stream need <streambuf>.
template <class Char>
class sink_buffer final : public std::basic_streambuf<Char> {
public:
  explicit sink_buffer(text_sink& to) noexcept : to_(to) {}

private:
  using traits = typename std::basic_streambuf<Char>::traits_type;
  using integer = typename traits::int_type;

  integer overflow(integer c) override {
    if (traits::eq_int_type(c, traits::eof())) return traits::not_eof(c);
    const Char one = traits::to_char_type(c);
    to_.write({&one, 1});
    return c;
  }
  // NOLINTNEXTLINE(misc-include-cleaner): a unit that streams includes it
  std::streamsize xsputn(const Char* text, std::streamsize size) override {
    to_.write({text, static_cast<std::size_t>(size)});
    return size;
  }

  text_sink& to_;
};

template <class Message, class Char = char>
void stream(text_sink& to, const Message& message) {
  static_assert(
      requires { sizeof(std::basic_ostream<Char>); },
      "this message is printed by its operator<<: include <ostream> where it is sent");
  sink_buffer<Char> buffer{to};
  std::basic_ostream<Char> out{&buffer};
  operator<<(out, message);
}

template <class Message>
void write(text_sink& to, const Message& message) {
  if constexpr (says_itself<Message>) {
    const auto& text = to_string(message);
    to.write(text);
  } else if constexpr (std::convertible_to<const Message&, std::string_view>) {
    to.write(message);
  } else {
    stream(to, message);
  }
}

/// Returns: whether user code returned normally.
template <class Message>
bool write_guarded(text_sink& to, const Message& message) noexcept {
  return call_or_catch(
      [&] {
        write(to, message);
        return true;
      },
      [](const void*) { return false; });
}

}  // namespace contents

/// Writes `message` for people to read: `type: contents` where its contents are available as text
/// (by `to_string`, by conversion to text, or by `operator<<`), otherwise `type (12 bytes)`.
/// Exceptions thrown meanwhile are caught: the line then says so.
template <class Message>
void write_message(text_sink& to, const Message& message) noexcept {
  if constexpr (has_text<Message>) {
    to.write(type_name_of<Message>);
    to.write(": ");
    if (!contents::write_guarded(to, message)) to.write("(printing it threw an exception)");
  } else {
    write_type_and_size(to, type_name_of<Message>, sizeof(Message));
  }
}

}  // namespace TACTOR_EXCEPTION_MODE
}  // namespace internal
}  // namespace tactor::inline v0
