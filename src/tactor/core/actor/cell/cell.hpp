// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/actor_type.hpp"
#include "tactor/core/actor/cell/context_storage.hpp"
#include "tactor/core/actor/cell/lifecycle_word.hpp"
#include "tactor/core/actor/cell/suspend_reasons.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/mailbox/locked_queue.hpp"
#include "tactor/core/mailbox/mailbox.hpp"
#include "tactor/core/mailbox/mailbox_reader.hpp"
#include "tactor/core/message/envelope.hpp"
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

  friend constexpr bool operator==(mailbox_index, mailbox_index) noexcept = default;
};

namespace internal {

class cell;
class system_gate;
struct actor_name;
struct actor_extras;

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
/// Four cache lines (on 64-bit machines): what senders access, what the worker that runs the cell
/// accesses, the family, and storage for a small actor.
class alignas(port::has_real_layout ? port::cache_line : alignof(void*)) cell : public ready_cell {
public:
  constexpr cell() noexcept = default;
  cell(const cell&) = delete;
  cell& operator=(const cell&) = delete;
  ~cell() = default;

  /// A hint unless the caller runs the cell.
  [[nodiscard]] std::uint32_t generation() const noexcept {
    const lifecycle_word now{lifecycle.load(relaxed)};  // relaxed: the receiver checks again
    return now.generation();
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

  /// The queue of a mailbox with `drop_oldest` or priorities; null: it has neither. Type-stable.
  [[nodiscard]] locked_queue* own_side_queue() const noexcept {
    locked_queue* const queue = side_queue.load(relaxed);  // relaxed: type-stable
    return is_timeout(queue) ? nullptr : queue;
  }
  /// Removes it. Context: the worker that runs the cell.
  [[nodiscard]] locked_queue* take_side_queue() noexcept {
    locked_queue* const queue = side_queue.load(relaxed);      // relaxed: type-stable
    if (queue != nullptr) side_queue.store(nullptr, relaxed);  // relaxed: type-stable
    return is_timeout(queue) ? nullptr : queue;
  }
  /// How long threads wait for capacity in a mailbox with `block_producer`. If it has no side queue,
  /// the timeout stands there, as an odd number.
  [[nodiscard]] std::uint32_t push_timeout_ms() const noexcept {
    const locked_queue* const word = side_queue.load(relaxed);  // relaxed: like the limits
    if (is_timeout(word))
      return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(word) >> 1U);
    return word == nullptr ? 0 : word->push_timeout_ms();
  }
  /// Sets it. Context: spawn.
  void set_push_timeout(std::uint32_t ms) noexcept {
    const std::uintptr_t word = std::uintptr_t{ms} << 1U | 1U;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): never dereferenced
    side_queue.store(reinterpret_cast<locked_queue*>(word), relaxed);  // relaxed: as in open
  }

  // Accessed by senders.

  // Written by: spawn, a sender that reports pressure, the worker that runs the cell (armed again).
  // Read by: them. Publishes: nothing. 0: no pressure is reported. See pressure_word.
  port::atomic<std::uint32_t> pressure;
  mailbox box;
  // Written by: threads that make a request; spawn and stop (next generation). Read by: senders,
  // the worker that runs the cell. Publishes: requests.
  port::atomic<std::uintptr_t> lifecycle;
  // Written by: spawn. Read by: threads with a dead letter. Publishes: nothing; the mailbox does.
  port::atomic<system_gate*> gate;
  // Written by: spawn, the worker that runs the cell (overloaded or not). Read by: senders.
  // Publishes: nothing. 0: no limits. See mailbox_limits.
  port::atomic<std::uint32_t> limits;
  // Written by: senders (up), the worker that takes messages out (down), waiting_producers (a bit);
  // never reset. Read by: all of them. Publishes: nothing.
  port::atomic<std::uint32_t> waiting;

  // Accessed by the worker that runs the cell.

  mailbox_reader reader;
  const actor_type* type = nullptr;
  void* object = nullptr;       // the instance; null: none
  envelope* current = nullptr;  // while a handler runs
  context_storage ctx;          // storage of the context
  std::uint32_t slot = 0;       // constant
  std::uint32_t tenant = 0;     // the generation, as known to the worker that runs the cell
  // Constant while the actor lives, so other workers may read them: the parent's, the children's, and
  // threads that hold the lock of a guardian.
  bool guardian : 1 = false;  // no worker runs it
  bool unlisted : 1 = false;  // the runtime's: not counted, and ends by itself
  bool timed : 1 = false;     // its turns are limited in time
  bool filtered : 1 = false;  // it has middleware
  bool : 0;                   // what follows is another memory location
  bool ordinary = false;      // running, and without limits of any kind: the fast path
  /// What is checked after each message, in one comparison.
  struct after_message {
    bool stop = false;           // requested by the actor itself, in the running handler
    bool note_activity = false;  // it has a receive timeout

    [[nodiscard]] constexpr bool anything() const noexcept {
      return std::bit_cast<std::uint16_t>(*this) != 0;
    }
  } wanted;
  shared_suspend_reasons reasons;  // why it is suspended
  lifecycle_stage stage : 3 = lifecycle_stage::starting;
  bool started : 1 = false;           // one of its instances has started
  bool extended : 1 = false;          // `extras` is used instead of `recipe`
  bool children_stopped : 1 = false;  // they were asked to stop
  bool active : 1 = false;            // it handled a message since its activity was last noted
  bool failed : 1 = false;            // it has failed, and was neither resumed nor restarted yet
  // Written by: threads that send suspension commands or unwatch, the worker that takes them; never reset.
  // Read by: the same. Publishes: nothing. How many wait.
  port::atomic<std::uint16_t> commands_waiting;

  // The family. A guardian's children are protected by the lock of its system.

  union {
    const actor_recipe* recipe = nullptr;
    actor_extras* extras;  // they hold the recipe
  };
  void* arguments = nullptr;
  cell* parent = nullptr;
  cell* first_child = nullptr;
  cell* next_sibling = nullptr;
  cell* previous_sibling = nullptr;
  // Written by: children that have ended (push), this cell (take). Read by: both. Publishes: the
  // children that have ended. In a reply slot: the actor that asks; null: none.
  port::atomic<cell*> ended_children;
  actor_name* name = nullptr;
  // Written by: spawn. Read by: senders to a mailbox with `drop_oldest`, `block_producer` or priorities.
  // Publishes: nothing; the mailbox does. See `own_side_queue` and `push_timeout_ms`.
  port::atomic<locked_queue*> side_queue;
  // Written by: threads that send and take system messages; never reset. Publishes: nothing.
  port::atomic<std::uint32_t> system_waiting;
  // Written by: spawn. Read by: senders of system messages. Publishes: nothing. One more than may
  // wait; 0: no limit.
  port::atomic<std::uint32_t> system_limit;

  static bool is_timeout(const locked_queue* word) noexcept {
    return (reinterpret_cast<std::uintptr_t>(word) & 1U) != 0;
  }

  static constexpr std::size_t storage_size = sizeof(void*) == 8 ? 48 : 32;
  static constexpr std::size_t storage_alignment = sizeof(void*) == 8 ? 16 : 8;
  alignas(storage_alignment) std::byte storage[storage_size] = {};
};

static_assert(!port::has_real_layout || sizeof(void*) != 8 || sizeof(cell) == 256);

/// The context that is built in a cell. Requires: the actor's recipe has built it.
[[nodiscard]] inline context& context_of(cell& c) noexcept {
  return *reinterpret_cast<context*>(std::launder(&c.ctx));
}

/// A slot without an actor, which waits for the reply to one ask: see `reply_slot` (a thread asks)
/// and `pending_asks` (an actor asks). Its state lies in members of the cell that have another meaning
/// for an actor.
struct reply_slot_view {
  explicit reply_slot_view(cell& slot) noexcept
      : asker(slot.ended_children),
        wait_word(slot.system_limit),
        target(slot.parent),
        target_generation(slot.system_limit),
        number(slot.pressure) {}

  port::atomic<cell*>& asker;  // the actor that asks; null: a thread, or the ask is over
  port::atomic<std::uint32_t>& wait_word;          // a thread asks: 0 while it sleeps
  cell*& target;                                   // an actor asks: the actor that is asked,
  port::atomic<std::uint32_t>& target_generation;  // and its generation
  port::atomic<std::uint32_t>& number;             // an actor asks: counts its asks
};

/// For `reply_slot_view::asker`: a coroutine of `actor` awaits the answer, so that it is sent as a
/// system message, which a suspended actor takes.
[[nodiscard]] inline cell* as_awaiting(cell& actor) noexcept {
  return reinterpret_cast<cell*>(reinterpret_cast<std::byte*>(&actor) + 1);
}
/// Whether `asker` is such a pointer.
[[nodiscard]] inline bool is_awaiting(const cell* asker) noexcept {
  return (reinterpret_cast<std::uintptr_t>(asker) & 1U) != 0;
}
/// The actor of such a pointer.
[[nodiscard]] inline cell& awaiting_actor(cell* asker) noexcept {
  return *reinterpret_cast<cell*>(reinterpret_cast<std::byte*>(asker) - 1);
}

}  // namespace internal
}  // namespace tactor::inline v0
