// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_fifo.hpp"
#include "tactor/base/treap.hpp"
#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/life/actor_deadlines.hpp"
#include "tactor/core/life/own_timers.hpp"
#include "tactor/core/life/receive_timeout.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <new>  // IWYU pragma: keep (placement new)

namespace tactor::inline v0 {

struct middleware_chain;

namespace internal {

struct outboxes;
struct own_timer;
struct pending_asks;
struct stash_record;
struct supervision_state;
struct suspension;

/// State that most actors do not need, allocated when the first of it is needed and kept until the
/// actor stops. Context: the worker that runs the cell.
struct actor_parts {
  bool timeout_paused = false;  // suspended, not by a failure: the timeout starts again afterwards
  bool timeout_deferred = false;   // the timeout was reached while it had failed
  std::uint32_t system_steps = 0;  // steps in a row that left system messages
  actor_deadlines deadlines;
  receive_timeout_times receive_timeout_state;
  own_timer* own_timers = nullptr;  // the newest; null: none
  keyed_timers timers;              // those that the actor started by key
  keyed_tree watching;              // the actors it watches
  // The requests of its watchers and its own watches, newest first. The order of the tree is that
  // of slots, which differs from run to run.
  envelope* watches = nullptr;
  intrusive_fifo<envelope> deferred;             // terminations to deliver when it runs again
  envelope_chain system_mail;                    // system messages for the next step
  const middleware_chain* middleware = nullptr;  // of this actor
  // Each is a block of its own, and null until it is needed.
  pending_asks* asks = nullptr;
  supervision_state* faults = nullptr;
  internal::suspension* suspension = nullptr;
  stash_record* stash = nullptr;           // messages put aside
  internal::outboxes* outboxes = nullptr;  // messages that wait for capacity in other mailboxes
};

/// Makes the parts of an actor that has none. Returns: null if there is no memory.
[[nodiscard]] actor_parts* make_parts(thread_record& here, cell& c) noexcept;
/// The actor's parts, made if there are none. Returns: null if there is no memory.
[[nodiscard]] inline actor_parts* parts_of(thread_record& here, cell& c) noexcept {
  return c.extended ? c.parts : make_parts(here, c);
}
/// The actor's parts; null: it has none.
[[nodiscard]] inline actor_parts* parts_or_null(const cell& c) noexcept {
  return c.extended ? c.parts : nullptr;
}
/// Destroys the arguments that the actor keeps, if it keeps any.
inline void release_arguments(thread_record& here, cell& c) noexcept {
  if (c.arguments == nullptr) return;
  const message_operations& arguments = c.recipe->arguments;
  if (arguments.destroy != nullptr) arguments.destroy(c.arguments);
  free_block(here, c.arguments, arguments);
  c.arguments = nullptr;
}
/// Ends the parts and all they hold. Requires: the actor has parts.
void end_parts(thread_record& here, cell& c) noexcept;

/// The failures of an actor that has a strategy; null: it has none.
[[nodiscard]] inline supervision_state* supervision_state_or_null(const cell& c) noexcept {
  return c.extended ? c.parts->faults : nullptr;
}

}  // namespace internal
}  // namespace tactor::inline v0
