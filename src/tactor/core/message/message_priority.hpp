// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <type_traits>

namespace tactor::inline v0 {

/// A message type whose messages overtake all others in a mailbox with `mailbox_order::priority`,
/// and keep their own order: it has a member type `control_message`. They do not count against the
/// capacity.
template <class Message>
concept is_control_message = requires { typename Message::control_message; };

/// The priority of a message that does not have its own: see `mailbox_order::priority`.
inline constexpr std::uint8_t default_priority = 100;

namespace internal {

template <class T>
concept priority_number =
    std::is_integral_v<std::remove_cvref_t<T>> && !std::is_same_v<std::remove_cvref_t<T>, bool>;

/// `static constexpr int priority = 5;`
template <class Message>
concept has_constant_priority = requires {
  requires std::is_pointer_v<decltype(&Message::priority)>;  // not a pointer to a data member
  requires std::is_const_v<decltype(Message::priority)>;
  requires priority_number<decltype(Message::priority)>;
};
/// `int priority() const noexcept;`
template <class Message>
concept has_priority_function =
    requires(const Message& message) { requires priority_number<decltype(message.priority())>; };
/// `int priority;`
template <class Message>
concept has_priority_member = !has_constant_priority<Message> && requires(const Message& message) {
  requires priority_number<decltype(message.priority)>;
};

template <class Number>
constexpr std::uint8_t as_priority(Number number) noexcept {
  if (number < Number{}) return 0;
  return number > Number{127} && static_cast<std::uint64_t>(number) > 255
             ? 255
             : static_cast<std::uint8_t>(number);
}
static_assert(as_priority(-1) == 0 && as_priority(7U) == 7 && as_priority(255L) == 255 &&
              as_priority(256) == 255);

/// The priority of every message of this type; of a message with its own, what a timer uses.
template <class Message>
constexpr std::uint8_t constant_priority_of() noexcept {
  if constexpr (has_constant_priority<Message>) {
    constexpr bool fits = Message::priority >= 0 && Message::priority <= 255;
    static_assert(fits,
                  "tactor: the priority of a message is a number from 0, the most urgent, to 255");
    return static_cast<std::uint8_t>(Message::priority);
  } else {
    return default_priority;
  }
}

template <class Message>
std::uint8_t priority_of_message(const void* message) noexcept {
  const Message& it = *static_cast<const Message*>(message);
  if constexpr (has_priority_function<Message>) {
    static_assert(noexcept(it.priority()),
                  "tactor: priority() of a message is called while it is sent: make it noexcept");
    return as_priority(it.priority());
  } else {
    return as_priority(it.priority);
  }
}
/// Null: messages of this type do not have priorities of their own.
template <class Message>
constexpr auto priority_function_of() noexcept -> std::uint8_t (*)(const void*) noexcept {
  if constexpr (has_priority_function<Message> || has_priority_member<Message>) {
    return priority_of_message<Message>;
  } else {
    return nullptr;
  }
}

}  // namespace internal
}  // namespace tactor::inline v0
