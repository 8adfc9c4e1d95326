// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/actor_ref_base.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/lifecycle_word.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/mailbox.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/tell_result.hpp"
#include "tactor/core/send/waiting_producers.hpp"

#include <cstdint>
#include <new>  // IWYU pragma: keep (placement new)
#include <utility>

namespace tactor::inline v0::internal {

/// The kind of a system message: its `envelope::detail`. All but the first are owned by the runtime
/// and exempt from the limits of a mailbox, so an open mailbox never refuses them.
enum class system_message_kind : std::uint8_t {
  message,             // for the actor's handler, sent as a system message
  suspension_command,  // suspend, resume, signal
  child_failed,        // from a child
  watch,               // a watcher is to be notified when this actor ends
  unwatch,             // it no longer does
  terminated,          // a watched actor has ended
  capacity_available,  // a mailbox this actor waits for has capacity
  permit,              // for an outbox of this actor, which is the message
  answer,              // to an ask that a coroutine awaits; `from` is its reply slot
  wait_walk,           // a walk along the waits of actors has come here
};

// What the runtime sends: system messages, notices, and news of capacity. It also makes cells
// ready. Context: any thread; `make_ready` and `give_notice` also in an interrupt.

/// Makes the cell ready. Requires: a push or notice returned `make_ready`.
inline void make_ready(cell& c) noexcept {
  // relaxed: the exchange in the push or notice has acquired what spawn wrote
  c.coordinator.load(relaxed)->register_ready(c);
}
/// Makes the cell ready on the fast path: in the worker's LIFO slot, if it is free.
inline void make_ready(thread_record& here, cell& c) noexcept {
  ready_queue_coordinator* const runs_it = c.coordinator.load(relaxed);  // relaxed: as above
  if (!here.next.put(c, runs_it)) runs_it->register_ready(c);
}
/// Makes the worker that runs the cell handle its requests.
inline void give_notice(cell& c) noexcept {
  if (c.box.give_notice() == push_result::make_ready) make_ready(c);
}
/// Changes the requests to the tenant `generation`, and gives notice, unless that tenancy has
/// ended.
inline void post_request(cell& to, std::uint32_t generation,
                         lifecycle_change with_or_without) noexcept {
  if (to.request(generation, with_or_without)) give_notice(to);
}

/// Returns: the kind of a system message. A timer's is for the actor's deadlines.
[[nodiscard]] inline system_message_kind kind_of(const envelope& e) noexcept {
  return e.kind == envelope_kind::system ? static_cast<system_message_kind>(e.state())
                                         : system_message_kind::message;
}

/// Sends a system message past all limits. Returns: false if the tenancy has ended; then the caller
/// keeps it.
[[nodiscard]] bool post_system_message(cell& to, std::uint32_t generation, envelope& e,
                                       system_message_kind what) noexcept;
/// Sends a system message that counts against the cell's reserve. Unless the result is `ok`, the
/// caller keeps it; `full`: the reserve is used up, and the system was notified.
[[nodiscard]] tell_result post_system_reserved(cell& to, std::uint32_t generation,
                                               envelope& e) noexcept;

/// Makes the record of an actor that is to wait for capacity in a mailbox, in its envelope.
/// Returns: null if there is no memory.
template <class Waiting>
[[nodiscard]] Waiting* new_waiting_actor(thread_record& here, cell& who,
                                         const actor_ref<>& mailbox) noexcept {
  envelope* const e = new_envelope<Waiting>(here);
  if (e == nullptr) return nullptr;
  auto* const made = ::new (payload_of(*e)) Waiting;
  made->mailbox = mailbox.slot();
  made->mailbox_generation = mailbox.generation();
  made->news = e;
  made->who = &who;
  made->who_generation = who.tenant;
  return made;
}
/// Notifies actors that wait for capacity, in this order.
void notify_actors(waiting_producers::notified actors) noexcept;
inline void notify_capacity(waiting_producers::notified actors) noexcept {
  if (!actors.empty()) notify_actors(std::move(actors));
}
/// Frees a record whose wait is over: its actor has used the capacity, or others may.
void give_back_capacity(thread_record& here, const waiting_actor& unused) noexcept;

}  // namespace tactor::inline v0::internal
