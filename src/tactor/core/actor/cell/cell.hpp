// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/actor_type.hpp"
#include "tactor/core/actor/cell/context_storage.hpp"
#include "tactor/core/actor/cell/lifecycle_word.hpp"
#include "tactor/core/actor/cell/suspend_reasons.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/mailbox/drop_oldest_queue.hpp"
#include "tactor/core/mailbox/mailbox.hpp"
#include "tactor/core/mailbox/mailbox_reader.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/port/port.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tactor::inline v0 {

/// Names one tenancy of one slot. A plain value; keeps nothing alive. The default one names nothing.
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

/// How far an actor's life has come. Context: whoever runs the cell.
enum class lifecycle_stage : std::uint8_t {
  starting,  // its instance is not there yet
  running,
  restarting,  // its old instance is gone; waits for its children, or for its time
  draining,    // handles what is queued, then stops
  stopping,    // waits for its children
  stopped,
};

/// Everything the runtime keeps for one actor. Type-stable: a cell is never destroyed, only used
/// again, so a stale reference always leads to a cell, and the generation says whether it is still
/// the one that was meant. All-zero is a slot nobody has used.
///
/// Four cache lines (on 64-bit machines): what senders touch, what the one who runs it touches, the
/// family, and room for a small actor.
class alignas(port::has_real_layout ? port::cache_line : alignof(void*)) cell : public ready_cell {
public:
  constexpr cell() noexcept = default;
  cell(const cell&) = delete;
  cell& operator=(const cell&) = delete;
  ~cell() = default;

  /// A hint unless the caller runs the cell.
  [[nodiscard]] std::uint32_t generation() const noexcept {
    return lifecycle_word{lifecycle.load(relaxed)}
        .generation();  // relaxed: the receiver checks again
  }

  /// Changes what is asked of the tenant `generation`. Returns: false, and nothing changed, if it is
  /// gone. Afterwards give notice. Context: any thread.
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

  // What senders touch.

  // Written by: spawn. Read by: threads that wait for room. Publishes: nothing. How long they do.
  port::atomic<std::uint32_t> push_timeout_ms;
  mailbox box;
  // Written by: who asks something, and spawn and stop (next generation). Read by: senders, the one
  // who runs the cell. Publishes: requests.
  port::atomic<std::uintptr_t> lifecycle;
  // Written by: spawn. Read by: who makes the cell ready. Publishes: nothing; the mailbox does.
  port::atomic<ready_queue_coordinator*> coordinator;
  // Written by: spawn. Read by: who has a dead letter. Publishes: nothing; the mailbox does.
  port::atomic<system_gate*> gate;
  // Written by: spawn, who runs the cell (whether it keeps up). Read by: senders. Publishes: nothing.
  // 0: nothing to mind. See mailbox_limits.
  port::atomic<std::uint32_t> limits;
  // Written by: senders (up), who takes messages out (down); never reset. Read by: the same.
  // Publishes: nothing.
  port::atomic<std::uint32_t> waiting;

  // What the one who runs it touches.

  mailbox_reader reader;
  const actor_type* type = nullptr;
  void* object = nullptr;       // the instance; null: none
  envelope* current = nullptr;  // while a handler runs
  context_storage ctx;          // in which the context is built
  std::uint32_t slot = 0;       // constant
  std::uint32_t tenant = 0;     // the generation, as the one who runs it knows it
  lifecycle_stage stage = lifecycle_stage::starting;
  bool ordinary = false;  // running, and without limits of any kind: the short way
  /// What is looked at after each message, in one comparison.
  struct after_message {
    bool stop = false;           // by the actor itself, in the handler that runs
    bool note_activity = false;  // it has a receive timeout

    [[nodiscard]] constexpr bool anything() const noexcept {
      return std::bit_cast<std::uint16_t>(*this) != 0;
    }
  } wanted;
  bool guardian = false;              // nobody runs it
  suspend_reasons reasons;            // why it is suspended
  bool unlisted = false;              // the runtime's own: no user counts it
  bool timed : 1 = false;             // its turns have a limit in time
  bool started : 1 = false;           // an instance of it has started
  bool extended : 1 = false;          // there is `extras` instead of `recipe`
  bool children_stopped : 1 = false;  // they were asked to
  bool active : 1 = false;            // it handled a message since its activity was noted last
  bool awaited : 1 = false;           // somebody waits for room in its mailbox

  // The family. A guardian's children are protected by the lock of its system.

  union {
    const actor_recipe* recipe = nullptr;
    actor_extras* extras;  // which keep the recipe
  };
  void* arguments = nullptr;
  cell* parent = nullptr;
  cell* first_child = nullptr;
  cell* next_sibling = nullptr;
  cell* previous_sibling = nullptr;
  // Written by: children that have ended (push), this cell (take). Read by: the same. Publishes: the
  // children that have ended. In the slot of a question: the actor that asks; null: none does.
  port::atomic<cell*> ended_children;
  actor_name* name = nullptr;
  // Written by: spawn. Read by: senders to a mailbox that drops its oldest. Publishes: nothing; the
  // mailbox does.
  port::atomic<drop_oldest_queue*> side_queue;
  // Written by: who sends and takes system messages; never reset. Publishes: nothing.
  port::atomic<std::uint32_t> system_waiting;
  // Written by: spawn. Read by: who sends system messages. Publishes: nothing. One more than may
  // wait; 0: no limit.
  port::atomic<std::uint32_t> system_limit;

  static constexpr std::size_t room_size = sizeof(void*) == 8 ? 48 : 32;
  static constexpr std::size_t room_alignment = sizeof(void*) == 8 ? 16 : 8;
  alignas(room_alignment) std::byte room[room_size] = {};
};

static_assert(!port::has_real_layout || sizeof(void*) != 8 || sizeof(cell) == 256);

}  // namespace internal
}  // namespace tactor::inline v0
