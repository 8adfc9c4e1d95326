// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/actor_type.hpp"
#include "tactor/core/actor/cell/ask_deadline.hpp"
#include "tactor/core/actor/cell/cell_parts.hpp"
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
#include <type_traits>
#include <utility>

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
/// accesses, the family, and storage for a small actor. On a board, an annex and the storage stand
/// behind the cell: see `slot_layout`.
class alignas(port::has_real_layout ? port::cache_line : alignof(void*)) cell : public ready_cell {
public:
  constexpr cell() noexcept {}  // NOLINT(modernize-use-equals-default): it has unions
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
    locked_queue* const queue = rare().side_queue.load(relaxed);  // relaxed: type-stable
    return is_timeout(queue) ? nullptr : queue;
  }
  /// Removes it. Context: the worker that runs the cell.
  [[nodiscard]] locked_queue* take_side_queue() noexcept {
    locked_queue* const queue = rare().side_queue.load(relaxed);      // relaxed: type-stable
    if (queue != nullptr) rare().side_queue.store(nullptr, relaxed);  // relaxed: type-stable
    return is_timeout(queue) ? nullptr : queue;
  }
  /// How long threads wait for capacity in a mailbox with `block_producer`. If it has no side queue,
  /// the timeout stands there, as an odd number.
  [[nodiscard]] std::uint32_t push_timeout_ms() const noexcept {
    const locked_queue* const word = rare().side_queue.load(relaxed);  // relaxed: like the limits
    if (is_timeout(word))
      return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(word) >> 1U);
    return word == nullptr ? 0 : word->push_timeout_ms();
  }
  /// Sets it. Context: spawn.
  void set_push_timeout(std::uint32_t ms) noexcept {
    const std::uintptr_t word = std::uintptr_t{ms} << 1U | 1U;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): never dereferenced
    rare().side_queue.store(reinterpret_cast<locked_queue*>(word), relaxed);  // relaxed: as in open
  }

  /// Whether a reply slot has a place for its deadline.
  static constexpr bool keeps_ask_deadline = sizeof(void*) == sizeof(ask_deadline);
  /// The deadline of a reply slot of a thread. It stands in place of the side queue.
  [[nodiscard]] ask_deadline deadline_of_ask() const noexcept {
    // relaxed: published with the ask. A late answer may read another tenant's: the receiver checks.
    return {reinterpret_cast<std::uintptr_t>(rare().side_queue.load(relaxed))};
  }
  /// Sets it. Context: the thread that asks.
  void set_deadline_of_ask(ask_deadline when) noexcept {
    const auto word = static_cast<std::uintptr_t>(when.bits);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): never dereferenced
    rare().side_queue.store(reinterpret_cast<locked_queue*>(word), relaxed);  // relaxed: as above
  }

  /// What its mailbox counts.
  [[nodiscard]] mailbox_counts& counts() noexcept;
  [[nodiscard]] const mailbox_counts& counts() const noexcept {
    return const_cast<cell&>(*this).counts();
  }
  /// What few actors have. On a board, see `may_have_parts`.
  [[nodiscard]] rare_parts& rare() noexcept;
  [[nodiscard]] const rare_parts& rare() const noexcept { return const_cast<cell&>(*this).rare(); }
  /// Whether it can have any of `counts` and `rare`. If not, these are all-zero, and only zeros are stored there.
  [[nodiscard]] static bool may_have_parts() noexcept;
  /// Storage for a small actor, or for the state of an ask.
  [[nodiscard]] std::byte* storage() noexcept;
  /// Its size. Requires: no more than this is stored there.
  [[nodiscard]] static std::size_t room() noexcept;

  /// How many suspension commands and requests to unwatch wait. Written by: threads that send them, the worker that takes them; never
  /// reset. Read by: the same. Publishes: nothing.
  [[nodiscard]] port::atomic<std::uint16_t>& commands_waiting() noexcept {
    return commands_of_board_.or_at([this]() -> auto& {
      return commands_of_host_.or_at(nowhere<port::atomic<std::uint16_t>>);
    });
  }

private:
  template <class T>
  [[noreturn]] static T& nowhere() noexcept {
    std::unreachable();
  }

  // Where there is space, on each port.
  [[no_unique_address]] member_of_board<port::atomic<std::uint16_t>> commands_of_board_;

public:
  // Accessed by senders.

  // Written by: spawn, the worker that runs the cell (overloaded or not). Read by: senders.
  // Publishes: nothing. 0: no limits. See mailbox_limits.
  port::atomic<std::uint32_t> limits;
  mailbox box;
  // Written by: threads that make a request; spawn and stop (next generation). Read by: senders,
  // the worker that runs the cell. Publishes: requests.
  port::atomic<std::uintptr_t> lifecycle;
  // Written by: spawn. Read by: threads with a dead letter. Publishes: nothing; the mailbox does.
  [[no_unique_address]] gate_of_cell<> gate;

private:
  [[no_unique_address]] member_of_host<mailbox_counts> counts_;

public:
  // Accessed by the worker that runs the cell.

  mailbox_reader reader;
  const actor_type* type = nullptr;
  void* object = nullptr;       // the instance; null: none
  envelope* current = nullptr;  // while a handler runs
  context_storage ctx;          // storage of the context
  std::uint32_t tenant = 0;     // the generation, as known to the worker that runs the cell
  /// A board has at most 1024 slots.
  using slot_number = std::conditional_t<port::has_interrupts, std::uint16_t, std::uint32_t>;
  slot_number slot = 0;  // constant
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
    bool stop = false;                 // requested by the actor itself, in the running handler
    bool has_receive_timeout = false;  // its activity is recorded

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

private:
  [[no_unique_address]] member_of_host<port::atomic<std::uint16_t>> commands_of_host_;

public:
  // The family. A guardian's children are protected by the lock of its system.

  /// An atomic of a board; elsewhere nothing uses it.
  using board_word =
      std::conditional_t<port::has_interrupts, port::atomic<std::uint32_t>, std::uint32_t>;
  union {
    const actor_recipe* recipe = nullptr;
    actor_extras* extras;   // they hold the recipe
    board_word ask_number;  // of a board's reply slot
  };
  cell* parent = nullptr;
  union {
    cell* first_child = nullptr;
    board_word ask_word;  // of a board's reply slot
  };
  cell* next_sibling = nullptr;
  cell* previous_sibling = nullptr;
  // Written by: children that have ended (push), this cell (take). Read by: both. Publishes: the
  // children that have ended. In a reply slot: the actor that asks; null: none.
  port::atomic<cell*> ended_children;
  static bool is_timeout(const locked_queue* word) noexcept {
    return (reinterpret_cast<std::uintptr_t>(word) & 1U) != 0;
  }

  static constexpr std::size_t storage_size = sizeof(void*) == 8 ? 48 : 32;
  static constexpr std::size_t storage_alignment = sizeof(void*) == 8 ? 16 : 8;

private:
  struct storage_of_host {
    template <class Find>
    std::byte* first_or_at(Find) noexcept {
      return bytes;
    }
    alignas(storage_alignment) std::byte bytes[storage_size] = {};
  };
  struct storage_of_board {
    template <class Find>
    std::byte* first_or_at(Find find) noexcept {
      return &find();
    }
  };

  [[no_unique_address]] member_of_host<rare_parts> rare_;
  [[no_unique_address]] std::conditional_t<port::has_interrupts, storage_of_board, storage_of_host>
      storage_;
};

static_assert(!port::has_real_layout || sizeof(void*) != 8 || sizeof(cell) == 256);

/// What stands behind the cells of a board, whose slots are of one size: an annex, if any actor needs one, and storage of the size that
/// the program wants. On a host nothing does.
class slot_layout {
public:
  /// With annexes, and storage of the usual size.
  constexpr slot_layout() noexcept = default;
  constexpr slot_layout(bool annexed, std::size_t room) noexcept
      : cut_(static_cast<std::int16_t>(annexed ? 0 : behind_annex - behind_cell)),
        less_(static_cast<std::int16_t>(behind_annex + usual - before_storage() -
                                        ((room + unit - 1) & ~(unit - 1)))) {}

  [[nodiscard]] constexpr bool annexed() const noexcept { return cut_ == 0; }
  /// Where the storage begins, counted from the cell.
  [[nodiscard]] constexpr std::size_t before_storage() const noexcept {
    return behind_annex - static_cast<std::size_t>(cut_);
  }
  /// The bytes of storage.
  [[nodiscard]] constexpr std::size_t room() const noexcept {
    return usual + static_cast<std::size_t>(cut_ - less_);
  }
  /// The bytes of a slot.
  [[nodiscard]] constexpr std::size_t size() const noexcept {
    return port::has_interrupts ? behind_annex + usual - static_cast<std::size_t>(less_)
                                : sizeof(cell);
  }

private:
  static constexpr std::size_t unit = cell::storage_alignment;
  static constexpr std::size_t behind_cell = (sizeof(cell) + unit - 1) & ~(unit - 1);
  static constexpr std::size_t behind_annex =
      (sizeof(cell) + sizeof(cell_annex) + unit - 1) & ~(unit - 1);

  static constexpr std::size_t usual = cell::storage_size;

  // All-zero is the usual layout, so that `board_slots` is in `.bss`.
  std::int16_t cut_ = 0;   // how much nearer than usual the storage is
  std::int16_t less_ = 0;  // how much smaller than usual the slot is
};

/// The layout of all slots of a board. Written by: the start of its system, before there is any slot.
inline constinit slot_layout board_slots;
/// What `counts` and `rare` of cells without annexes are, in flash: what writes there checks `may_have_parts`, or that something is
/// there already.
inline constinit const cell_annex empty_annex;

/// A slot with everything, for tests.
struct whole_slot_of_board : cell {
  cell_annex annex;
  alignas(cell::storage_alignment) std::byte own_storage[cell::storage_size] = {};
};
using whole_cell = std::conditional_t<port::has_interrupts, whole_slot_of_board, cell>;

namespace slots {

// Out of line: only a board calls it, to save space.
[[gnu::noinline]] inline cell_annex& annex_of(cell& c) noexcept {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): see empty_annex
  if (!board_slots.annexed()) return const_cast<cell_annex&>(empty_annex);
  return *std::launder(
      reinterpret_cast<cell_annex*>(reinterpret_cast<std::byte*>(&c) + sizeof(cell)));
}

}  // namespace slots

inline mailbox_counts& cell::counts() noexcept {
  return counts_.or_at([this]() -> mailbox_counts& { return slots::annex_of(*this).counts; });
}
inline rare_parts& cell::rare() noexcept {
  return rare_.or_at([this]() -> rare_parts& { return slots::annex_of(*this).rare; });
}
inline bool cell::may_have_parts() noexcept {
  return !port::has_interrupts || board_slots.annexed();
}
inline std::byte* cell::storage() noexcept {
  const auto find = [this]() -> std::byte& {
    return reinterpret_cast<std::byte*>(this)[board_slots.before_storage()];
  };
  return storage_.first_or_at(find);
}
inline std::size_t cell::room() noexcept {
  return port::has_interrupts ? board_slots.room() : storage_size;
}

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
        wait_word(word_in(slot)),
        target(slot.parent),
        target_generation(word_in(slot)),
        number(number_in(slot)) {}

  port::atomic<cell*>& asker;  // the actor that asks; null: a thread, or the ask is over
  port::atomic<std::uint32_t>& wait_word;          // a thread asks: 0 while it sleeps
  cell*& target;                                   // an actor asks: the actor that is asked,
  port::atomic<std::uint32_t>& target_generation;  // and its generation
  port::atomic<std::uint32_t>& number;             // an actor asks: counts its asks

private:
  template <class Cell>
  static port::atomic<std::uint32_t>& word_in(Cell& slot) noexcept {
    if constexpr (port::has_interrupts) {
      return slot.ask_word;
    } else {
      return slot.rare().system_limit;
    }
  }
  template <class Cell>
  static port::atomic<std::uint32_t>& number_in(Cell& slot) noexcept {
    if constexpr (port::has_interrupts) {
      return slot.ask_number;
    } else {
      return slot.counts().pressure;
    }
  }
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
