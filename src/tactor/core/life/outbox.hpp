// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_fifo.hpp"
#include "tactor/base/treap.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/cell/turn_context.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/send/delivery.hpp"
#include "tactor/core/send/wait_graph.hpp"

#include <array>
#include <cstdint>
#include <utility>

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

/// The receivers to which an actor would have closed a circle. A circle is reported when it is met
/// first, and again after a second without it. If there are more than it has places for, it forgets
/// the one that was met least recently.
class reported_circles {
public:
  /// Notes that a circle was met. Returns: whether to report it. `receiver` is not 0.
  [[nodiscard]] bool is_new(std::uint64_t receiver, std::uint64_t now_ns) noexcept {
    entry* place = all_.data();
    for (entry& each : all_) {
      if (each.receiver == receiver)
        return now_ns - std::exchange(each.met_ns, now_ns) >= std::uint64_t{1'000'000'000};
      const bool is_free = each.receiver == 0;
      if (place->receiver != 0 && (is_free || each.met_ns < place->met_ns)) place = &each;
    }
    *place = {.receiver = receiver, .met_ns = now_ns};
    return true;
  }

private:
  struct entry {
    std::uint64_t receiver = 0;
    std::uint64_t met_ns = 0;  // last
  };
  std::array<entry, port::sizes::reported_circles> all_{};
};

/// The outboxes of an actor, none of them empty.
struct outboxes : wait_node {
  static constexpr const char* type_name = "outboxes";

  keyed_tree by_receiver;
  reported_circles reported;
};

/// Puts a message that the mailbox of `to` refused into an outbox of `from`. Returns: `ok`; or
/// `full` or `would_deadlock`, and the caller keeps the message.
[[nodiscard]] offer_result hold_back(const turn_context& in, cell& to, envelope& e) noexcept;
/// Whether messages of `from` to that actor wait in an outbox: a newer one must not overtake them.
[[nodiscard]] bool holds_back(const cell& from, const cell& to, std::uint32_t generation) noexcept;
/// The mailbox that an outbox of `c` waits for has capacity, or is closed.
void take_permit(const turn_context& in, envelope& e) noexcept;
/// The actor ends: what it has in its outboxes becomes dead letters.
void end_outboxes(thread_record& here, cell& c) noexcept;

}  // namespace tactor::inline v0::internal
