// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/actor_type.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/lifecycle/actor_deadlines.hpp"
#include "tactor/core/actor/lifecycle/receive_timeout.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/port/port.hpp"

#include <new>  // IWYU pragma: keep (placement new)

namespace tactor::inline v0::internal {

struct pending_asks;
struct supervision_state;
struct suspension;
struct watch_lists;

/// What most actors do without: made when it is needed first, and kept until the actor stops. It
/// stands in the cell where the recipe was. Context: whoever runs the cell.
struct actor_extras {
  const actor_recipe* recipe = nullptr;
  bool idling_paused = false;    // suspended, and not by a failure: the time starts anew afterwards
  bool idling_deferred = false;  // the timeout was reached while it had failed
  bool timer_is_scarce = false;  // that of its questions, which ends with the last of them then
  actor_deadlines deadlines;
  idle_watch receive_timeout_state;
  // Each is null until it is needed.
  pending_asks* asks = nullptr;
  supervision_state* faults = nullptr;
  internal::suspension* suspension = nullptr;
  watch_lists* watches = nullptr;
};
static_assert(!port::has_real_layout || sizeof(void*) != 4 || sizeof(actor_extras) <= 104,
              "or it takes a block of twice the size");

/// Builds a `T` in a block of the runtime's memory. Returns: null if there is none.
template <class T>
[[nodiscard]] T* new_record(thread_record& here) noexcept {
  void* const block = new_block(here, operations_of<T>);
  return block == nullptr ? nullptr : ::new (block) T;
}
/// Destroys it and takes the memory back; null is nothing.
template <class T>
void free_record(thread_record& here, T* record) noexcept {
  if (record == nullptr) return;
  record->~T();
  free_block(here, record, operations_of<T>);
}

/// Makes the extras of an actor that has none. Returns: null if there is no memory.
[[nodiscard]] actor_extras* make_extras(thread_record& here, cell& c) noexcept;
/// The actor's extras, made if there are none. Returns: null if there is no memory.
[[nodiscard]] inline actor_extras* extras_of(thread_record& here, cell& c) noexcept {
  return c.extended ? c.extras : make_extras(here, c);
}
/// How its instance is made.
[[nodiscard]] inline const actor_recipe& recipe_of(const cell& c) noexcept {
  return c.extended ? *c.extras->recipe : *c.recipe;
}
/// Ends all that is left of them. Requires: it has some.
void end_extras(thread_record& here, cell& c) noexcept;

}  // namespace tactor::inline v0::internal
