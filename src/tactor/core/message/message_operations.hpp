// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/exceptions.hpp"
#include "tactor/base/text_writer.hpp"
#include "tactor/core/message/message_priority.hpp"
#include "tactor/core/message/message_text.hpp"
#include "tactor/core/message/type_identity.hpp"

#include <array>
#include <cstdint>
#include <type_traits>

namespace tactor::inline v0 {

/// A message type whose dead letters are counted and not published: it has a member type
/// `suppress_dead_letter`.
template <class Message>
concept suppresses_dead_letter = requires { typename Message::suppress_dead_letter; };

/// A message type that does not count as activity: a receive timeout runs on. It has a member type
/// `ignored_by_receive_timeout` or, with the same meaning, `not_influence_receive_timeout`.
template <class Message>
concept ignored_by_receive_timeout = requires { typename Message::ignored_by_receive_timeout; } ||
                                     requires { typename Message::not_influence_receive_timeout; };

namespace internal {

/// The operations on a message whose type the runtime does not know.
struct message_operations {
  type_identity type;
  void (*destroy)(void* message) noexcept;  // null: nothing to do
  void (*print)(const void* message,
                text_sink& to) noexcept;  // null: its type and size; see `print`
  std::uint32_t size;
  std::uint32_t alignment;
  bool suppress_dead_letter;
  bool ignored_by_receive_timeout = false;
  bool control = false;
  std::uint8_t priority = default_priority;
  // null: it is `priority`
  std::uint8_t (*priority_of)(const void* message) noexcept = nullptr;
};

// Calls user code from the user's translation unit, with that unit's exception setting.
inline namespace TACTOR_EXCEPTION_MODE {

namespace contents {

template <class Message>
void destroy_message(void* message) noexcept {
  static_cast<Message*>(message)->~Message();
}
template <class Message>
void print_message(const void* message, text_sink& to) noexcept {
  write_message(to, *static_cast<const Message*>(message));
}
template <class Message>
constexpr auto destroyer_of() noexcept -> void (*)(void*) noexcept {
  if constexpr (std::is_trivially_destructible_v<Message>) {
    return nullptr;
  } else {
    return destroy_message<Message>;
  }
}

/// Returns: the operations of an object that is no message.
template <class Object>
constexpr message_operations of_object(const type_identity& type = {}) noexcept {
  return {.type = type,
          .destroy = destroyer_of<Object>(),
          .print = nullptr,
          .size = sizeof(Object),
          .alignment = alignof(Object),
          .suppress_dead_letter = false};
}

template <class Message>
constexpr auto printer_of() noexcept -> void (*)(const void*, text_sink&) noexcept {
  if constexpr (has_text<Message>) {
    return print_message<Message>;
  } else {
    return nullptr;
  }
}

}  // namespace contents

/// The operations of `Message`. Compared by address first, and by `type` where one program has
/// several copies of them.
template <class Message>
inline constexpr message_operations operations_of{
    .type = identity_of<Message>,
    .destroy = contents::destroyer_of<Message>(),
    .print = contents::printer_of<Message>(),
    .size = sizeof(Message),
    .alignment = alignof(Message),
    .suppress_dead_letter = suppresses_dead_letter<Message>,
    .ignored_by_receive_timeout = tactor::ignored_by_receive_timeout<Message>,
    .control = is_control_message<Message>,
    .priority = constant_priority_of<Message>(),
    .priority_of = priority_function_of<Message>()};

/// The operations of a `Message` that stands at the start of a `Whole`, which is larger: the
/// receiver takes it for a `Message`, and is told the size of that.
template <class Message, class Whole>
consteval message_operations operations_inside() noexcept {
  message_operations made = operations_of<Message>;
  made.size = sizeof(Whole);
  made.alignment = alignof(Whole);
  if (made.print == nullptr)
    made.print = [](const void*, text_sink& to) noexcept {
      write_type_and_size(to, identity_of<Message>.name, sizeof(Message));
    };
  return made;
}

}  // namespace TACTOR_EXCEPTION_MODE

/// Writes a message for people to read, like `write_message`.
inline void print(const message_operations& of, const void* message, text_sink& to) noexcept {
  if (of.print != nullptr) return of.print(message, to);
  write_type_and_size(to, of.type.name, of.size);
}

/// Tells whether two messages are of one type.
[[nodiscard]] inline bool same_type(const message_operations& a,
                                    const message_operations& b) noexcept {
  return &a == &b || a.type == b.type;
}

/// Lists the operations of several types.
template <class... Messages>
inline constexpr std::array<const message_operations*, sizeof...(Messages)> operations_list{
    &operations_of<Messages>...};

}  // namespace internal
}  // namespace tactor::inline v0
