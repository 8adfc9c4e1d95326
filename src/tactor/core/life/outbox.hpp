// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_fifo.hpp"
#include "tactor/base/treap.hpp"
#include "tactor/core/cell/actor_ref_base.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/send/send.hpp"
#include "tactor/core/send/wait_graph.hpp"
#include "tactor/core/send/waiting_producers.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

// What an actor sends to a full mailbox with `block_producer` waits in an outbox, and the actor is
// suspended (`backpressure`) until its outboxes are empty. Context: the worker that runs the actor.

/// Messages of an actor that wait for capacity in one mailbox, oldest first. It stands in line for
/// a permit, and comes back to its actor with it, as a system message. The key is that of the
/// receiver.
struct outbox : waiting_actor, wait_edge, keyed_node {
  static constexpr const char* type_name = "outbox";
  static constexpr std::uint32_t capacity = 64;

  intrusive_fifo<envelope> messages;
  std::uint32_t size = 0;
  bool is_full = false;  // and the actor was warned
  bool is_over = false;  // nothing waits in it any more, and it comes back for nothing
};

/// The outboxes of an actor, none of them empty. While there is one, it is a node of the wait
/// graph.
struct outboxes : wait_node {
  static constexpr const char* type_name = "outboxes";

  keyed_tree by_receiver;
  std::uint32_t looks = 0;  // at the wait, because it is long: see wait_walk.hpp
};

/// Puts a message that the mailbox of `to` has no permit for into an outbox of the actor that runs,
/// and suspends the actor. Returns: `ok`; or `full` or `would_deadlock`, and the caller keeps the
/// message.
[[nodiscard]] offer_result hold_back(const turn_context& in, cell& to, envelope& e) noexcept;
/// Returns: whether messages of `from` to that actor wait in an outbox: a newer one must not
/// overtake them.
[[nodiscard]] bool holds_back(const cell& from, const cell& to, std::uint32_t generation) noexcept;
/// Returns: how many more messages to that actor can wait in an outbox.
[[nodiscard]] std::uint32_t outbox_room(const cell& from, const actor_ref<>& to) noexcept;
/// An outbox of the actor comes back with a permit, or because its mailbox is closed: sends what it
/// can. If nothing waits any more, the suspension ends.
void take_permit(const turn_context& in, envelope& e) noexcept;
/// The actor `from` gives up its ask `question` to another actor: if its message waits in an
/// outbox, it leaves that and becomes a dead letter. If nothing waits any more, the suspension
/// ends. Returns: whether it was there.
bool withdraw(const turn_context& from, const actor_ref<>& to, origin question) noexcept;
/// The actor ends: what it has in its outboxes becomes dead letters.
void end_outboxes(thread_record& here, cell& c) noexcept;

}  // namespace tactor::inline v0::internal
