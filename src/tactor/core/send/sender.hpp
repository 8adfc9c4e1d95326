// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/actor_ref_base.hpp"
#include "tactor/core/message/envelope.hpp"

namespace tactor::inline v0::internal {

// The sender of a message, for handlers, middleware and dead letters. Context: any thread.

/// Finds the actor that asks. Requires: a reply slot. Returns: no sender if a thread asks, or if
/// the ask has ended.
[[nodiscard]] origin asker_of(origin reply_slot) noexcept;

/// Tells whether the message asked, and nobody waits for the answer any more.
[[nodiscard]] bool is_ended_ask(origin from) noexcept;
/// Finds the actor that has sent a message, by a `tell` or by an ask that has not ended. Returns:
/// no sender if the message comes from outside of actors.
[[nodiscard]] inline origin sender_of(origin from) noexcept {
  return from.what() == origin::kind::reply_slot ? asker_of(from) : from;
}
/// Returns a reference to the actor that `sender_of` finds; an empty one if there is no sender.
[[nodiscard]] actor_ref<> sending_actor(origin from) noexcept;

}  // namespace tactor::inline v0::internal
