// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/life/actor_deadlines.hpp"
#include "tactor/core/life/receive_timeout.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/send/delivery.hpp"
#include "tactor/port/port.hpp"

#include <new>  // IWYU pragma: keep (placement new)

namespace tactor::inline v0::internal {

struct own_timer;
struct pending_asks;
struct supervision_state;
struct suspension;
struct rare_lists;

/// State that most actors do not need: made on first use, kept until the actor stops. Context: the
/// worker that runs the cell.
struct actor_extras {
  bool timeout_paused = false;  // suspended, not by a failure: the timeout starts again afterwards
  bool timeout_deferred = false;  // the timeout was reached while it had failed
  actor_deadlines deadlines;
  own_timer* own_timers = nullptr;  // the newest; null: none
  receive_timeout_times receive_timeout_state;
  // Each is null until it is needed.
  pending_asks* asks = nullptr;
  supervision_state* faults = nullptr;
  internal::suspension* suspension = nullptr;
  rare_lists* rare = nullptr;
};

/// Builds a `T` in a block of the runtime's memory. Returns: null if there is none.
template <class T>
[[nodiscard]] T* new_record(thread_record& here) noexcept {
  void* const block = new_block(here, operations_of<T>);
  return block == nullptr ? nullptr : ::new (block) T;
}
/// Destroys `record` and frees its memory. No effect if it is null.
template <class T>
void free_record(thread_record& here, T* record) noexcept {
  if (record == nullptr) return;
  record->~T();
  free_block(here, record, alignof(T));  // without its operations, which a board need not link
}

/// Makes the extras of an actor that has none. Returns: null if there is no memory.
[[nodiscard]] actor_extras* make_extras(thread_record& here, cell& c) noexcept;
/// The actor's extras, made if there are none. Returns: null if there is no memory.
[[nodiscard]] inline actor_extras* extras_of(thread_record& here, cell& c) noexcept {
  return c.extended ? c.extras : make_extras(here, c);
}
/// Destroys the arguments that the actor keeps, if it keeps any.
inline void release_arguments(thread_record& here, cell& c) noexcept {
  if (c.arguments == nullptr) return;
  const message_operations& arguments = c.recipe->arguments;
  if (arguments.destroy != nullptr) arguments.destroy(c.arguments);
  free_block(here, c.arguments, arguments);
  c.arguments = nullptr;
}
/// Ends the extras and all they hold. Requires: the actor has extras.
void end_extras(thread_record& here, cell& c) noexcept;

/// The failures of an actor that has a strategy; null: it has none.
[[nodiscard]] inline supervision_state* supervision_state_or_null(const cell& c) noexcept {
  return c.extended ? c.extras->faults : nullptr;
}

}  // namespace tactor::inline v0::internal
