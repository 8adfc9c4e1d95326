// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/mailbox_registry.hpp"
#include "tactor/core/actor/cell/trace_recorder.hpp"
#include "tactor/core/dispatch/lifo_slot_ref.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {

class system_services;
struct worker_counters;

/// The failures of a thread.
struct thread_failures {
  // The failure of the handler that runs here, written only by a handler that fails. It is here and
  // not in the invoker, so the invoker needs no stack space for it and can use tail calls.
  failure why = failure::nothing_yet();
  turn_failure failed;  // the last failure of an actor that was handled here
};
/// Where they are.
template <bool OfBoard = port::has_interrupts>
struct place_of_failures {
  [[nodiscard]] thread_failures& get() noexcept { return in_record_; }

private:
  thread_failures in_record_;
};
/// Those of a board's only thread. A board whose actors do not fail has none, and nothing writes to what this returns.
[[nodiscard]] thread_failures& failures_of_board() noexcept;
template <>
struct place_of_failures<true> {
  [[nodiscard]] static thread_failures& get() noexcept { return failures_of_board(); }
};

/// What a thread notes for others, and for a while. A board's only thread has nothing of it.
template <bool OfBoard = port::has_interrupts>
struct thread_notes {
  using lifo_slot = lifo_slot_ref;

  /// The receiver that was last overloaded from the thread, and the sender.
  struct overload {
    ready_cell* target = nullptr;
    origin source;

    void note(ready_cell& to, origin from) noexcept {
      target = &to;
      source = from;
    }
  };
  /// How long the thread waits for capacity in a mailbox. 0: the mailbox's timeout.
  class push_timeout {
  public:
    void set(std::uint64_t ns) noexcept { ns_ = ns; }
    [[nodiscard]] std::uint64_t ns() const noexcept { return ns_; }

  private:
    std::uint64_t ns_ = 0;
  };
  /// The type of the message taken last.
  /// Written by: its thread. Read by: the busy worker sampler. Publishes: nothing.
  using handled_type = port::atomic<const message_operations*>;
  /// See `thread_record::counted_elsewhere`.
  using fast_limits = std::uint32_t;
};
template <>
struct thread_notes<true> {
  using lifo_slot = no_lifo_slot;

  struct overload {
    static void note(ready_cell& /*to*/, origin /*from*/) noexcept {}
  };
  struct push_timeout {
    static void set(std::uint64_t /*ns*/) noexcept {}
    [[nodiscard]] static std::uint64_t ns() noexcept { return 0; }
  };
  struct handled_type {
    static void store(const message_operations* /*type*/, auto /*order*/) noexcept {}
  };
  /// Always 0.
  struct fast_limits {
    constexpr fast_limits(std::uint32_t /*limits*/) noexcept {}
    constexpr operator std::uint32_t() const noexcept { return 0; }
  };
};

/// What the runtime keeps for each thread: the actor that runs there, and cached memory. Context: its
/// thread.
struct thread_record {
  /// In `fast_limits`, which is compared with the limits of a mailbox on the fast path of a send: no
  /// mailbox has these limits, so all sends of the thread take the slow path, and each is counted in
  /// the system of the receiver. 0: the thread counts its sends itself; so does a board's only one.
  static constexpr std::uint32_t counted_elsewhere = sizeof(void*) == 8 ? 0xFFFF'FFFF : 0;

  /// Likewise, for a turn that is measured: the slow path notes when a message was sent.
  static constexpr std::uint32_t measured = 0xFFFF'FFFE;

  /// Likewise, while a trace runs: the slow path records what is sent.
  static constexpr std::uint32_t traced = 0xFFFF'FFFD;

  origin sender;                        // the actor that runs here
  system_services* services = nullptr;  // its system; null: not a thread of a system
  worker_counters* counters = nullptr;  // its counters of that system
  std::uint32_t sends = 0;              // accepted messages
  [[no_unique_address]] thread_notes<>::fast_limits fast_limits = counted_elsewhere;
  [[no_unique_address]] thread_notes<>::lifo_slot next;  // for cells that this thread makes ready
  [[no_unique_address]] thread_notes<>::overload overload;
  envelope* capacity_used = nullptr;  // `capacity_available`, to give back after the turn
  cell* keeps_permits = nullptr;      // of its mailbox, to be settled after the turn
  [[no_unique_address]] thread_notes<>::push_timeout push_timeout;
  [[no_unique_address]] thread_notes<>::handled_type handling;
  // Messages without a handler, dropped by a middleware, or stashed, less those from a stash that were
  // handled after all, and less late news that no answer comes.
  std::int32_t unhandled = 0;
  std::uint32_t replayed = 0;  // messages from a stash in this turn; they left the mailbox before
  bool ending = false;     // an actor ends here: replies that it drops, it drops because it stops
  bool met = false;        // `runtime_memory::note` was called for it
  bool may_block = false;  // handlers may block here: no turn keeps permits of its mailbox
  [[no_unique_address]] envelope_caches envelopes;
  [[no_unique_address]] cell_cache cells;

  [[no_unique_address]] place_of_failures<> failures;

  [[no_unique_address]] trace_of_thread<> trace;
};

/// The thread counts its own sends from now on. Context: the thread of `here`.
inline void begin_counting_sends(thread_record& here) noexcept {
  if (here.fast_limits != 0) here.sends = 0;
  here.fast_limits = 0;
}
/// Returns: how many messages were accepted since the last call.
[[nodiscard]] inline std::uint32_t take_sends(thread_record& here) noexcept {
  return std::exchange(here.sends, 0);
}
/// Returns: how many messages left mailboxes and were not handled since the last call, less those that left
/// before and were handled since.
[[nodiscard]] inline std::int32_t take_unhandled(thread_record& here) noexcept {
  return std::exchange(here.unhandled, 0);
}
/// The thread counts no more.
inline void end_counting_sends(thread_record& here) noexcept {
  here.fast_limits = thread_record::counted_elsewhere;
}

/// The record of the calling thread. On a board there is one.
extern constinit TACTOR_THREAD_LOCAL thread_record current_thread_record;
/// The record of the calling thread.
[[nodiscard]] inline thread_record& this_thread() noexcept {
  return current_thread_record;
}

/// The record of all interrupts of a board, which only send. It is constant, since one interrupt may
/// interrupt another. See `send_from_interrupt`.
extern const thread_record interrupt_record;
/// The record of the caller, which may be an interrupt.
[[nodiscard]] inline thread_record& this_sender() noexcept {
  if constexpr (port::has_interrupts) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): see is_interrupt
    if (port::in_interrupt()) return const_cast<thread_record&>(interrupt_record);
  }
  return this_thread();
}
/// Whether it is that of the interrupts, which nothing may change.
[[nodiscard]] inline bool is_interrupt(const thread_record& here) noexcept {
  if constexpr (port::has_interrupts) return &here == &interrupt_record;
  return false;
}

}  // namespace tactor::inline v0::internal
