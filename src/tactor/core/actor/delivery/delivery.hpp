// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/actor_type.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/runtime_memory.hpp"
#include "tactor/core/actor/cell/system_message_kind.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/actor/delivery/tell_result.hpp"
#include "tactor/core/mailbox/mailbox.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/observe/drop_reason.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

// How a message gets from a sender into a mailbox, or becomes a dead letter. Everything from any
// thread, with the record of that thread.

/// An envelope of a thread that has none at hand. Returns: null if there is no memory.
[[nodiscard]] envelope* allocate_slowly(thread_record& here, unsigned size_class) noexcept;

/// An envelope with room for a `Message`, from nobody. Returns: null if there is no memory.
template <class Message>
[[nodiscard]] envelope* new_envelope(thread_record& here) noexcept {
  constexpr unsigned size_class = envelope_pool::size_class_for<Message>();
  envelope* e = nullptr;
  if constexpr (size_class == large_size_class) {
    e = program_memory.envelopes.allocate_large(sizeof(Message), alignof(Message));
  } else {
    e = program_memory.envelopes.try_allocate(here.envelopes, size_class);
    if (e == nullptr) [[unlikely]]
      e = allocate_slowly(here, size_class);
  }
  if (e == nullptr) return nullptr;
  e->operations = &operations_of<Message>;
  e->kind = envelope_kind::message;
  e->detail = 0;
  return e;
}
/// Takes the memory back of an envelope without payload.
inline void free_envelope(thread_record& here, envelope& e) noexcept {
  program_memory.envelopes.release(here.envelopes, e);
}
/// Destroys the payload and takes the memory back.
inline void discard_envelope(thread_record& here, envelope& e) noexcept {
  if (e.operations->destroy != nullptr) e.operations->destroy(payload_of(e));
  free_envelope(here, e);
}

/// Memory for an object that `what` describes, from the envelopes' pool.
/// Returns: null if there is none.
[[nodiscard]] void* new_block(thread_record& here, const message_operations& what) noexcept;
/// Takes it back. Requires: the object is destroyed.
void free_block(thread_record& here, void* block, const message_operations& what) noexcept;

/// In `envelope::detail` of a user's message: it takes one of the places of a bounded mailbox.
inline constexpr std::uint8_t holds_permit = 1;

/// What became of a message, and why if it was refused.
struct offer_result {
  tell_result result = tell_result::ok;
  drop_reason why = drop_reason::stopped;
};

/// Hands a message to the tenant `generation` of `to`; unless the answer is `ok`, it is still the
/// caller's. `to` null: nobody.
[[nodiscard]] offer_result offer(thread_record& here, cell* to, std::uint32_t generation,
                                 envelope& e) noexcept;

/// As `offer`, and a refused message becomes a dead letter.
tell_result send(thread_record& here, cell* to, std::uint32_t generation, envelope& e) noexcept;

/// A dead letter of a message for which there was not even memory. Returns: `full`.
tell_result dead_letter_no_memory(thread_record& here, cell* to, std::uint32_t generation,
                                  const message_operations& operations) noexcept;

/// Hands a message of the runtime to a cell. Unless the answer is `ok`, it is still the caller's;
/// `full`: the cell's reserve is used up, and its home has been told.
[[nodiscard]] tell_result post_system_reserved(cell& to, std::uint32_t generation,
                                               envelope& e) noexcept;

/// Hands a letter of the runtime to a cell, past all limits. Returns: false if its tenant is gone;
/// then it is still the caller's.
[[nodiscard]] bool post_system_message(cell& to, std::uint32_t generation, envelope& e,
                                       system_message_kind what) noexcept;
/// What a system message is about. A timer's is for the actor's deadlines.
[[nodiscard]] inline system_message_kind kind_of(const envelope& e) noexcept {
  return e.kind == envelope_kind::system ? static_cast<system_message_kind>(e.detail)
                                         : system_message_kind::message;
}

/// Reports a message as a dead letter and ends it, whatever it is: destroyed, and a timer's job
/// settled. `to` is where it was meant for, or null.
void end_as_dead_letter(thread_record& here, cell* to, envelope& e, drop_reason why) noexcept;

/// Makes the cell ready. Requires: a push or notice said so.
inline void make_ready(cell& c) noexcept {
  // relaxed: the exchange that said so has acquired what spawn wrote
  c.coordinator.load(relaxed)->register_ready(c);
}
/// The same for the way of nearly every message.
inline void make_ready(thread_record& here, cell& c) noexcept {
  ready_queue_coordinator* const runs_it = c.coordinator.load(relaxed);  // relaxed: as above
  if (!here.next.put(c, runs_it)) runs_it->register_ready(c);
}
/// Makes the one who runs the cell look at what is asked of it.
inline void give_notice(cell& c) noexcept {
  if (c.box.give_notice() == push_result::make_ready) make_ready(c);
}

}  // namespace tactor::inline v0::internal
