// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/definition/handler_obstacle.hpp"
#include "tactor/core/send/message_traits.hpp"

#include <type_traits>

// Handlers for messages that a class does not list: nobody could ever send them. A class cannot be
// asked for its overloads, but a call can be ambiguous: its argument converts to one listed message
// and to every type that is not listed.
namespace tactor::inline v0::internal {

/// Converts to `Known`, and to every type but those in `Listed`.
template <class Known, class... Listed>
struct unlisted_value {
  template <class T>
    requires(std::is_same_v<T, Known> || !is_among<T, Listed...>)
  operator T() const;
};
/// Likewise, for handlers that take a reference which is not const.
template <class Known, class... Listed>
struct unlisted_object {
  template <class T>
    requires std::is_same_v<T, Known>
  operator T() const;
  template <class T>
    requires(!is_among<std::remove_const_t<T>, Listed...>)
  operator T&() const;
};

/// True if the handler for `Known` is the only one that takes a value like these.
template <class Actor, class Context, class Known, class... Listed>
inline constexpr bool takes_only =
    takes_somehow<Actor, Context, unlisted_value<Known, Known, Listed...>> &&
    takes_somehow<Actor, Context, unlisted_object<Known, Known, Listed...>>;

/// Returns: true if an actor has a handler for a message that it does not list; false also if a
/// listed message is made of everything, like `std::any`: then nobody can tell. Requires: each
/// listed message has a handler.
template <class Actor, class Context, class... Listed>
consteval bool handles_unlisted() noexcept {
  using stranger = unlisted_value<void, Listed..., terminated, receive_timeout>;
  if constexpr ((std::is_convertible_v<stranger, Listed> || ...)) {
    return false;
  } else if constexpr (sizeof...(Listed) == 0) {
    return takes_somehow<Actor, any_context_of<Context>, stranger>;
  } else {
    return !takes_only<Actor, any_context_of<Context>, Listed..., terminated, receive_timeout>;
  }
}

/// One error for all such handlers.
template <class Actor, bool HandlesUnlisted>
struct unlisted_handler_check {
  static constexpr bool receive_is_listed = !HandlesUnlisted || set_of_lambdas<Actor>;
  static constexpr bool lambda_is_listed = !HandlesUnlisted || !set_of_lambdas<Actor>;
  static_assert(
      receive_is_listed,
      "a receive() of this actor takes a message that is not among the Messages... of its "
      "tactor::actor<Messages...>, so that nobody can send it: add it there");
  static_assert(
      lambda_is_listed,
      "a lambda of this behaviour takes a message that is not among the Messages... of its "
      "tactor::behaviour<Messages...>, so that nobody can send it: add it there");
};

}  // namespace tactor::inline v0::internal
