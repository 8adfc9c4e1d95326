// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/system_message_kind.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/message/mailbox.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/tell_result.hpp"
#include "tactor/core/send/traced_messages.hpp"
#include "tactor/core/send/waiting_producers.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {

// How a message gets from a sender into a mailbox, or becomes a dead letter. Context: any thread,
// with its own thread record.

/// Slow path of `new_envelope`: the thread's cache is empty. Returns: null if there is no memory.
[[nodiscard]] envelope* allocate_slowly(thread_record& here, unsigned size_class) noexcept;

/// `new_envelope` on a board, where no thread has a cache.
template <unsigned SizeClass>
[[nodiscard]] envelope* allocate_on_board() noexcept {
  envelope* const taken = program_memory.envelopes.take_free(SizeClass);
  return taken != nullptr ? taken : allocate_slowly(this_sender(), SizeClass);
}

/// An envelope with space for a `Message`, without a sender. Returns: null if there is no memory.
template <class Message>
[[nodiscard]] envelope* new_envelope(thread_record& here) noexcept {
  constexpr unsigned size_class = envelope_pool::size_class_for<Message>();
  if (may_trace(here)) [[unlikely]]
    return new_traced_envelope(here, operations_of<Message>);
  envelope* e = nullptr;
  if constexpr (size_class == large_size_class) {
    e = program_memory.envelopes.allocate_large(sizeof(Message), alignof(Message));
  } else if constexpr (port::has_interrupts) {
    e = allocate_on_board<size_class>();
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
/// Frees an envelope without payload.
inline void free_envelope(thread_record& here, envelope& e) noexcept {
  program_memory.envelopes.release(here.envelopes, e);
}
/// Destroys the payload and frees the envelope.
inline void discard_envelope(thread_record& here, envelope& e) noexcept {
  if (e.operations->destroy != nullptr) e.operations->destroy(payload_of(e));
  free_envelope(here, e);
}

/// In `envelope::detail` of a message that is discarded: it was not handled.
inline constexpr std::uint8_t is_lost = 4;
/// Discards a message that was not handled.
inline void discard_lost(thread_record& here, envelope& e) noexcept {
  e.set_state(is_lost);
  discard_envelope(here, e);
}

/// Memory for an object that `what` describes, from the envelopes' pool.
/// Returns: null if there is none.
[[nodiscard]] void* new_block(thread_record& here, const message_operations& what) noexcept;
/// Frees it. Requires: the object, of this alignment, is destroyed.
void free_block(thread_record& here, void* block, std::size_t alignment) noexcept;
/// Frees it. `what` describes the object.
inline void free_block(thread_record& here, void* block, const message_operations& what) noexcept {
  free_block(here, block, what.alignment);
}

/// In `envelope::detail` of a user message: it holds a permit of a bounded mailbox.
inline constexpr std::uint8_t holds_permit = 1;

/// The result of an offer, and the reason if it was refused.
struct offer_result {
  tell_result result = tell_result::ok;
  drop_reason why = drop_reason::stopped;
};

/// Counts an accepted message in the system of its receiver.
void count_foreign_send(thread_record& here, const cell& to) noexcept;
/// Counts an accepted message.
inline void count_send(thread_record& here, const cell& to) noexcept {
  ++here.sends;
  if (here.fast_limits != 0 && here.fast_limits == thread_record::counted_elsewhere) [[unlikely]]
    count_foreign_send(here, to);
}

/// Pushes a message that holds a permit. If the mailbox is closed, the permit is released, and the
/// caller keeps the message.
[[nodiscard]] offer_result push_with_permit(thread_record& here, cell& to, envelope& e) noexcept;

/// Offers a message to the tenant `generation` of `to`; unless the result is `ok`, the caller keeps
/// it. `to` null: no such actor.
[[nodiscard]] offer_result offer(thread_record& here, cell* to, std::uint32_t generation,
                                 envelope& e) noexcept;

/// Like `offer`, but a refused message becomes a dead letter.
tell_result send(thread_record& here, cell* to, std::uint32_t generation, envelope& e) noexcept;

/// Sends a message whose place was reserved: past the limits of the mailbox, also while the actor
/// drains. If the actor has ended, it becomes a dead letter.
void send_reserved(thread_record& here, cell* to, std::uint32_t generation, envelope& e) noexcept;

/// Why a message is refused that could not be allocated: `full`, or `closed` if there is no actor.
[[nodiscard]] tell_result result_without_memory(const cell* to, std::uint32_t generation) noexcept;
/// Reports a dead letter for a message that could not be allocated. Returns: as above.
tell_result dead_letter_no_memory(thread_record& here, cell* to, std::uint32_t generation,
                                  const message_operations& operations) noexcept;

/// `dead_letter_no_memory` of an interrupt, or of the thread of a board.
tell_result refuse_on_board(cell* to, std::uint32_t generation,
                            const message_operations& operations) noexcept;

/// Sends a system message that counts against the cell's reserve. Unless the result is `ok`, the
/// caller keeps it; `full`: the reserve is used up, and the system was notified.
[[nodiscard]] tell_result post_system_reserved(cell& to, std::uint32_t generation,
                                               envelope& e) noexcept;

/// Sends a system message past all limits. Returns: false if the tenancy has ended; then the caller
/// keeps it.
[[nodiscard]] bool post_system_message(cell& to, std::uint32_t generation, envelope& e,
                                       system_message_kind what) noexcept;
/// Notifies actors that wait for capacity, in this order.
void notify_actors(waiting_producers::notified actors) noexcept;
inline void notify_capacity(waiting_producers::notified actors) noexcept {
  if (!actors.empty()) notify_actors(std::move(actors));
}
/// A notified actor has used the capacity, or not: others may, and the notification ends.
void give_back_capacity(thread_record& here, envelope& e) noexcept;
/// Like `give_back_capacity`, for all that this thread keeps until the end of a turn.
void give_back_used_capacity(thread_record& here) noexcept;

/// The kind of a system message. A timer's is for the actor's deadlines.
[[nodiscard]] inline system_message_kind kind_of(const envelope& e) noexcept {
  return e.kind == envelope_kind::system ? static_cast<system_message_kind>(e.state())
                                         : system_message_kind::message;
}

/// Reports any message as a dead letter and disposes of it: the payload is destroyed, a timer's job
/// settled. `to` is its receiver, or null.
void end_as_dead_letter(thread_record& here, cell* to, envelope& e, drop_reason why) noexcept;
/// The user message `e` has left the mailbox: releases its permit, if it holds one. The envelope
/// says so, because a late message may hold a permit of an earlier tenant with other limits.
inline void release_permit(cell& c, envelope& e) noexcept {
  if (e.state() == holds_permit) linked().limits->release_permit(c, e);
}

/// Makes the cell ready. Requires: a push or notice returned `make_ready`.
inline void make_ready(cell& c) noexcept {
  // relaxed: the exchange in the push or notice has acquired what spawn wrote
  c.coordinator.load(relaxed)->register_ready(c);
}
/// Fast path: prefers the worker's LIFO slot.
inline void make_ready(thread_record& here, cell& c) noexcept {
  ready_queue_coordinator* const runs_it = c.coordinator.load(relaxed);  // relaxed: as above
  if (!here.next.put(c, runs_it)) runs_it->register_ready(c);
}
/// Makes the worker that runs the cell handle its requests.
inline void give_notice(cell& c) noexcept {
  if (c.box.give_notice() == push_result::make_ready) make_ready(c);
}

}  // namespace tactor::inline v0::internal
