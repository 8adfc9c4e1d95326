// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <span>

namespace tactor::inline v0 {
class context;
}  // namespace tactor::inline v0

namespace tactor::inline v0::internal {

class cell;

/// The result of a call of user code.
enum class [[nodiscard]] call_result : std::uint8_t {
  done,
  failed,     // the `failure` holds the details
  unhandled,  // the actor has no handler for it
  awaiting,   // the handler is a coroutine that awaits something
};

/// The operations on an actor whose class the runtime does not know. Made by the compiler in the
/// user's translation unit; every function calls user code inside a guard that catches exceptions.
struct actor_type {
  /// Calls the handler of a message. `why` is written only if it failed.
  call_result (*receive)(void* actor, context& ctx, envelope& message, failure& why) noexcept;
  /// Before the first message; null: the class has no `pre_start`.
  call_result (*pre_start)(void* actor, context& ctx, failure& why) noexcept;
  /// After the last message; null: the class has no `post_stop`.
  call_result (*post_stop)(void* actor, context& ctx, failure& why) noexcept;
  /// On the failed instance, before it is destroyed; null: the default.
  call_result (*pre_restart)(void* actor, context& ctx, const failure& because,
                             failure& why) noexcept;
  /// On the new instance, before its first message; null: `pre_start` instead.
  call_result (*post_restart)(void* actor, context& ctx, const failure& because,
                              failure& why) noexcept;
  std::span<const message_operations* const> messages;  // the types it handles
  message_operations instance;                          // how it is destroyed, its size and name
};

/// Returns: true if actors of a type take all of these messages.
[[nodiscard]] inline bool takes_all(const actor_type& type,
                                    std::span<const message_operations* const> messages) noexcept {
  for (const message_operations* const wanted : messages) {
    bool found = false;
    for (const message_operations* const taken : type.messages)
      found = found || same_type(*wanted, *taken);
    if (!found) return false;
  }
  return true;
}

/// Makes the instance of an actor from the arguments given at spawn, which are kept.
struct actor_recipe {
  const actor_type* type;
  /// Constructs the actor in `room`, and its context in `of`.
  call_result (*construct)(const void* arguments, void* storage, cell& of, failure& why) noexcept;
  /// Moves the arguments into `room`, where they are kept; null: there are none.
  void (*keep)(void* arguments, void* storage) noexcept;
  message_operations arguments;  // how they are destroyed, their size
};

}  // namespace tactor::inline v0::internal
