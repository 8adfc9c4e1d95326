// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_fifo.hpp"
#include "tactor/base/watch_tree.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/runtime/wait_graph.hpp"
#include "tactor/core/message/envelope.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

class system_services;

// What an actor sends to a full mailbox with `block_producer` waits in an outbox, and the actor is
// suspended (`backpressure`) from the end of its handler until its outboxes are empty. Context: the
// worker that runs the actor.

/// Messages of an actor that wait for capacity in one mailbox, oldest first. The key is that of the receiver.
struct outbox : wait_edge, watch_node {
  static constexpr const char* type_name = "outbox";
  static constexpr std::uint32_t capacity = 64;

  intrusive_fifo<envelope> messages;
  std::uint32_t size = 0;
  envelope* waiting = nullptr;  // holds the `waiting_actor`
};

/// The outboxes of an actor, none of them empty.
struct outboxes : wait_node {
  static constexpr const char* type_name = "outboxes";

  watch_tree by_receiver;
  actor_ref<> in_circle;  // the receiver of the circle that was last reported
};

/// Puts a message that the mailbox of `to` refused into an outbox of `from`. Returns: `ok`; or `full`
/// or `would_deadlock`, and the caller keeps the message.
[[nodiscard]] offer_result hold_back(system_services& services, thread_record& here, cell& from,
                                     cell& to, envelope& e) noexcept;
/// Whether messages of `from` to that actor wait in an outbox: a newer one must not overtake them.
[[nodiscard]] bool holds_back(const cell& from, const cell& to, std::uint32_t generation) noexcept;
/// The mailbox that an outbox of `c` waits for has capacity, or is closed.
void take_permit(system_services& services, thread_record& here, cell& c, envelope& e) noexcept;
/// The actor ends: what it has in its outboxes becomes dead letters.
void end_outboxes(thread_record& here, cell& c) noexcept;
/// Does nothing: a board links outboxes only if the program calls this.
void link_outboxes() noexcept;

}  // namespace tactor::inline v0::internal
