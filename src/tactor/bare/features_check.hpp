// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/bare/system_size.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/definition/handler.hpp"
#include "tactor/core/life/death_watch.hpp"
#include "tactor/core/life/receive_timeout.hpp"

namespace tactor::inline v0::bare::internal {

/// True if a handler of this actor is a coroutine.
template <class Actor, class Messages = typename Actor::message_types>
inline constexpr bool has_coroutine = false;
template <class Actor, class... Messages>
inline constexpr bool has_coroutine<Actor, message_list<Messages...>> =
    (task_traits<typename handler_of<Actor, Messages>::result>::is_task || ...);

/// One error for each feature that an actor shows in its handlers and the size does not name.
template <system_size Size, class Actor>
struct features_check {
  static constexpr bool coroutines = Size.coroutines || !has_coroutine<Actor>;
  static constexpr bool watches =
      !handles_notification<Actor, terminated>::value || Size.watches > 0;
  static constexpr bool receive_timeouts =
      !handles_notification<Actor, receive_timeout>::value || Size.receive_timeouts > 0;

  static_assert(coroutines, "a handler of this actor is a coroutine, which the size of the system "
                            "leaves out: bare::system<{.coroutines = true}>");
  static_assert(watches, "this actor handles `terminated`, but the size of the system has no "
                         "watches: bare::system<{.watches = 1}>");
  static_assert(receive_timeouts,
                "this actor handles `receive_timeout`, but the size of the system "
                "has none: bare::system<{.receive_timeouts = 1}>");
};

}  // namespace tactor::inline v0::bare::internal
