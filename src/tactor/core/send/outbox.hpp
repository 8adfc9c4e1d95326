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

#include <cstdint>

namespace tactor::inline v0::internal {

// What an actor sends to a full mailbox with `block_producer` waits in an outbox, and the actor is
// suspended (`backpressure`) from the end of its handler until its outboxes are empty. Context: the
// worker that runs the actor.

/// Messages of an actor that wait for capacity in one mailbox, oldest first. The key is that of the
/// receiver.
struct outbox : wait_edge, keyed_node {
  static constexpr const char* type_name = "outbox";
  static constexpr std::uint32_t capacity = 64;

  intrusive_fifo<envelope> messages;
  std::uint32_t size = 0;
  envelope* waiting = nullptr;  // holds the `waiting_actor`
};

/// The outboxes of an actor, none of them empty. It exists while there is one, and is then a node
/// of the wait graph.
struct outboxes : wait_node {
  static constexpr const char* type_name = "outboxes";

  keyed_tree by_receiver;
};

/// Puts a message that the mailbox of `to` refused into an outbox of the actor that runs. With the
/// first, the actor gets the reason `backpressure` and a notice: its turn suspends it after the
/// handler. Returns: `ok`; or `full` or `would_deadlock`, and the caller keeps the message.
[[nodiscard]] offer_result hold_back(const turn_context& in, cell& to, envelope& e) noexcept;
/// Returns: whether messages of `from` to that actor wait in an outbox: a newer one must not
/// overtake them.
[[nodiscard]] bool holds_back(thread_record& here, const cell& from, const cell& to,
                              std::uint32_t generation) noexcept;
/// The mailbox that an outbox of the actor waits for has capacity, or is closed: sends what it can.
/// Returns: true if nothing waits any more, and the reason `backpressure` is over.
[[nodiscard]] bool take_permit(const turn_context& in, envelope& e) noexcept;
/// The result of a search in the outboxes when an ask is over.
enum class withdrawal : std::uint8_t {
  nothing,      // its message waits in none
  one_of_many,  // its message has left; others wait
  the_last,     // its message has left, nothing waits, and the reason `backpressure` is over
};
/// The ask `question` of the actor `from` to another actor is over: if its message waits in an
/// outbox, it leaves that and becomes a dead letter.
[[nodiscard]] withdrawal withdraw(thread_record& here, cell& from, const actor_ref<>& to,
                                  origin question) noexcept;
/// The actor ends: what it has in its outboxes becomes dead letters.
void end_outboxes(thread_record& here, cell& c) noexcept;

}  // namespace tactor::inline v0::internal
