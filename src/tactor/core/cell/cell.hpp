// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/lifecycle_word.hpp"
#include "tactor/core/cell/oldest_mail.hpp"
#include "tactor/core/cell/suspend_reasons.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/locked_queue.hpp"
#include "tactor/core/message/mailbox.hpp"
#include "tactor/core/message/mailbox_reader.hpp"
#include "tactor/port/port.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

namespace tactor::inline v0 {

class context;

/// Names one tenancy of one slot. A plain value; keeps nothing alive. The default names nothing.
struct mailbox_index {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;

  /// Both numbers in one word.
  [[nodiscard]] constexpr std::uint64_t key() const noexcept {
    return std::uint64_t{slot} << 32U | generation;
  }

  friend constexpr bool operator==(mailbox_index, mailbox_index) noexcept = default;
};

namespace internal {

class cell;
class system_gate;
struct actor_parts;
struct actor_name;

/// Storage for the context of an actor: one word. The header that knows the actor's messages gives
/// it its type.
struct context_storage {
  cell* owner = nullptr;
};

/// The stages of an actor's lifecycle. Context: the worker that runs the cell.
enum class lifecycle_stage : std::uint8_t {
  starting,  // its instance is not constructed yet
  running,
  restarting,  // its old instance is destroyed; waits for its children, or for its back-off
  draining,    // handles what is queued, then stops
  stopping,    // waits for its children
  stopped,
};

/// Everything the runtime stores for one actor. Type-stable: a cell is never destroyed, only
/// reused, so a stale reference always leads to a cell, and the generation says whether the tenant
/// is still the actor it was made for. All-zero is a slot that was never used.
///
/// On 64-bit machines it takes four cache lines: what senders access, what the worker that runs the
/// cell accesses, the family, and storage for a small actor.
class alignas(port::has_real_layout ? port::cache_line : alignof(void*)) cell : public ready_cell {
public:
  constexpr cell() noexcept = default;
  cell(const cell&) = delete;
  cell& operator=(const cell&) = delete;
  ~cell() = default;

  /// The generation of the slot. A hint unless the caller runs the cell.
  [[nodiscard]] std::uint32_t generation() const noexcept {
    const lifecycle_word now{lifecycle.load(relaxed)};  // relaxed: the receiver checks again
    return now.generation();
  }

  /// Tells whether `whom` is the tenant and was not asked to drain: its mailbox closes only in its
  /// turn, and it may be in a handler for long. A hint unless the caller runs the cell.
  [[nodiscard]] bool accepts_mail(std::uint32_t whom) const noexcept {
    const lifecycle_word now{lifecycle.load(relaxed)};  // relaxed: the receiver checks again
    return now.accepts_mail_for(whom);
  }
  /// Tells whether the slot can have no more tenants. Requires: the caller has the slot.
  [[nodiscard]] bool used_up() const noexcept {
    return lifecycle_word{lifecycle.load(relaxed)}.used_up();  // relaxed: as required
  }

  /// Changes the requests to the tenant `whom`. Returns: false, and nothing changed, if that
  /// tenancy has ended. Afterwards give notice. Context: any thread.
  template <class Change>
  bool request(std::uint32_t whom, Change change) noexcept {
    lifecycle_word before{lifecycle.load(relaxed)};  // relaxed: only compared
    do {
      if (before.generation() != whom) return false;
      // The notice that follows publishes it, too.
    } while (!lifecycle.compare_exchange(before.bits, change(before).bits,
                                         acq_rel));  // pairs: cell.lifecycle
    return true;
  }
  bool request(std::uint32_t whom, lifecycle_change change) noexcept {
    return request(whom, [change](lifecycle_word was) { return (was.*change)(); });
  }

  /// The queue of a mailbox with `drop_oldest` or priorities; null: it has neither. Type-stable.
  [[nodiscard]] locked_queue* own_side_queue() const noexcept {
    return side_queue.load(relaxed);  // relaxed: type-stable
  }
  /// Removes it. Context: the worker that runs the cell.
  [[nodiscard]] locked_queue* take_side_queue() noexcept {
    locked_queue* const queue = own_side_queue();
    if (queue != nullptr) side_queue.store(nullptr, relaxed);  // relaxed: type-stable
    return queue;
  }

  // Accessed by senders.

  // Written by: spawn, the worker that runs the cell (overloaded or not). Read by: senders.
  // Publishes: nothing. 0: no limits. See mailbox_limits.
  port::atomic<std::uint32_t> limits;
  mailbox box;
  // Written by: threads that make a request; spawn and stop (next generation). Read by: senders,
  // the worker that runs the cell. Publishes: requests.
  port::atomic<std::uintptr_t> lifecycle;
  // Written by: spawn. Read by: threads with a dead letter. Publishes: nothing; the mailbox does.
  port::atomic<system_gate*> gate;
  // Written by: spawn, a sender that reports pressure, the worker that runs the cell (armed again).
  // Read by: them. Publishes: nothing. 0: no pressure is reported. See pressure_word.
  port::atomic<std::uint32_t> pressure;
  // Written by: senders (up), the worker that takes messages out (down), waiting_producers (a bit);
  // never reset. Read by: all of them. Publishes: nothing.
  port::atomic<std::uint32_t> permits_taken;

  // Accessed by the worker that runs the cell.

  mailbox_reader reader;
  // Written by: spawn. Read by: the worker that runs the cell, and any thread with a reference.
  // Publishes: the end of the tenant before, for `type_of`; the type itself is constant.
  port::atomic<const actor_type*> type;
  void* object = nullptr;       // the instance; null: none
  envelope* current = nullptr;  // while a handler runs
  context_storage ctx;          // storage of the context
  std::uint32_t tenant = 0;     // the generation, as known to the worker that runs the cell
  std::uint32_t slot = 0;       // constant
  // Constant while the actor lives, so other workers may read them: the parent's, the children's,
  // and threads that hold the lock of a guardian.
  bool guardian : 1 = false;  // no worker runs it
  bool unlisted : 1 = false;  // the runtime's: not counted, and ends by itself
  bool timed : 1 = false;     // its turns are limited in time
  bool filtered : 1 = false;  // it has middleware
  bool : 0;                   // what follows is another memory location
  bool ordinary = false;      // running, and without limits of any kind: the fast path
  /// Two flags that are checked after each message, in one comparison.
  struct after_message {
    bool stop = false;                 // requested by the actor itself, in the running handler
    bool has_receive_timeout = false;  // its activity is recorded

    [[nodiscard]] constexpr bool anything() const noexcept {
      return std::bit_cast<std::uint16_t>(*this) != 0;
    }
  } wanted;
  shared_suspend_reasons reasons;  // why it is suspended
  lifecycle_stage stage : 3 = lifecycle_stage::starting;
  bool started : 1 = false;           // one of its instances has started
  bool extended : 1 = false;          // it has `parts`
  bool children_stopped : 1 = false;  // they were asked to stop
  bool active : 1 = false;            // it handled a message since its activity was last noted
  bool failed : 1 = false;            // it has failed, and was neither resumed nor restarted yet
  // Written by: threads that send suspension commands and requests to unwatch, the worker that
  // takes them; never reset. Read by: the same. Publishes: nothing. How many of them wait.
  port::atomic<std::uint16_t> commands_waiting;

  // The family. A guardian's children are protected by the lock of its system.

  const actor_recipe* recipe = nullptr;
  actor_parts* parts = nullptr;  // null: none yet; `extended` says so in a nearer cache line
  cell* parent = nullptr;
  cell* first_child = nullptr;
  cell* next_sibling = nullptr;
  cell* previous_sibling = nullptr;
  // Written by: children that have ended (push), this cell (take). Read by: both. Publishes: the
  // children that have ended.
  port::atomic<cell*> ended_children;

  // What spawn gives to actors that need it.

  void* arguments = nullptr;   // in a block; null: none
  actor_name* name = nullptr;  // in a block; null: none
  // Written by: spawn. Read by: senders to a mailbox with `drop_oldest` or priorities. Publishes:
  // nothing; the mailbox does. See `own_side_queue`.
  port::atomic<locked_queue*> side_queue;
  // Written by: threads that send and take system messages; never reset. Publishes: nothing.
  port::atomic<std::uint32_t> system_waiting;
  // Written by: spawn. Read by: senders of system messages. Publishes: nothing. One more than may
  // wait; 0: no limit.
  port::atomic<std::uint32_t> system_limit;
  // Written by: spawn. Read by: threads that send to a mailbox with `block_producer`. Publishes:
  // nothing; the mailbox does. How long they wait for capacity.
  port::atomic<std::uint32_t> push_timeout_ms;
  internal::oldest_mail oldest_mail;

  /// Storage for a small actor.
  static constexpr std::size_t storage_size = port::sizes::actor_storage;
  static constexpr std::size_t storage_alignment = alignof(std::max_align_t);
  alignas(storage_alignment) std::byte storage[storage_size] = {};
};

/// The type of the actor that runs. Context: the worker that runs the cell.
[[nodiscard]] inline const actor_type& running_type(const cell& c) noexcept {
  return *c.type.load(relaxed);  // relaxed: constant while the actor lives
}
/// The type of the tenant `whom`; null: its tenancy has ended. Context: any thread.
[[nodiscard]] inline const actor_type* type_of(const cell& c, std::uint32_t whom) noexcept {
  // no mutant: no scenario of the model casts a reference
  const actor_type* const type = c.type.load(acquire);  // pairs: cell.type
  return c.generation() == whom ? type : nullptr;
}

/// The context that is built in a cell. Requires: the actor's recipe has built it.
[[nodiscard]] inline context& context_of(cell& c) noexcept {
  return *reinterpret_cast<context*>(std::launder(&c.ctx));
}

}  // namespace internal
}  // namespace tactor::inline v0
