// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <type_traits>

namespace tactor::inline v0 {

/// A list of message types.
template <class... Messages>
struct message_list {};

/// A message type that declares its answer: `using reply = ...;`.
template <class Message>
concept has_reply = requires { typename Message::reply; };

struct receive_timeout;
struct terminated;

namespace internal {

template <class Message>
struct reply_type {
  using type = void;
};
template <has_reply Message>
struct reply_type<Message> {
  using type = typename Message::reply;
};

/// True if only the runtime sends it.
template <class Message>
inline constexpr bool is_notification =
    std::is_same_v<Message, terminated> || std::is_same_v<Message, receive_timeout>;

template <class Message, class... Messages>
inline constexpr bool is_among = (std::is_same_v<Message, Messages> || ...);

}  // namespace internal

/// The type of the answer to a message; void if it declares none.
template <class Message>
using reply_of = typename internal::reply_type<Message>::type;

/// True if a type can be sent: an object type, not const, whose destructor does not throw.
template <class Message>
inline constexpr bool is_message =
    std::is_object_v<Message> && !std::is_const_v<Message> && !std::is_array_v<Message> &&
    std::is_nothrow_destructible_v<Message>;

}  // namespace tactor::inline v0
