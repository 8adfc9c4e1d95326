// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/ask_slot.hpp"
#include "tactor/core/cell/mailbox_registry.hpp"
#include "tactor/core/cell/trace_recorder.hpp"
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

/// The receiver that was last overloaded from a thread, and the sender.
struct overload_note {
  ready_cell* target = nullptr;
  origin source;
};

/// The last failure of an actor that was handled on a thread.
struct thread_failures {
  // Written only by a handler that fails. It is here and not in `run_turn`, so that the short way
  // needs no stack space for it and can use tail calls.
  failure why = failure::nothing_yet();
  duration retry_after = {};  // the strategy's back-off; zero: at once, or there is no restart
};

/// The runtime keeps one for each thread: the actor that runs there, and cached memory. Context:
/// its thread.
struct thread_record {
  /// In `fast_limits`, which is compared with the limits of a mailbox on the fast path of a send:
  /// no mailbox has these limits, so all sends of the thread take the slow path, and each is
  /// counted in the system of the receiver. 0: the thread counts its sends itself.
  static constexpr std::uint32_t counted_elsewhere = 0xFFFF'FFFF;

  /// In `fast_limits` of a turn that is measured: the slow path notes when a message was sent.
  static constexpr std::uint32_t measured = 0xFFFF'FFFE;

  /// In `fast_limits` while a trace runs: the slow path records what is sent.
  static constexpr std::uint32_t traced = 0xFFFF'FFFD;

  origin sender;                        // the actor that runs here
  system_services* services = nullptr;  // its system; null: not a thread of a system
  worker_counters* counters = nullptr;  // its counters of that system
  std::uint32_t sends = 0;              // accepted messages
  std::uint32_t fast_limits = counted_elsewhere;
  lifo_slot_ref next;  // for cells that this thread makes ready
  overload_note overload;
  envelope* capacity_used = nullptr;  // `capacity_available`, to give back after the turn
  std::uint32_t kept_permits =
      0;  // of the mailbox of the actor that runs here: see `release_in_turn`
  // The longest time that the thread waits for capacity in a mailbox. 0: the mailbox's timeout.
  std::uint64_t push_timeout_ns = 0;
  // Written by: its thread. Read by: the busy worker sampler. Publishes: nothing. The type of the
  // message taken last.
  port::atomic<const message_operations*> handling;
  // Counts messages that left the mailbox without being handled: no handler, dropped by middleware,
  // or stashed. A message that leaves the stash and is handled is subtracted, and so are late notes
  // that no answer comes.
  std::int32_t unhandled = 0;
  std::uint32_t replayed = 0;  // messages from a stash in this turn; they left the mailbox before
  bool ending = false;     // while an actor stops here: its dropped replies say `target_terminated`
  bool met = false;        // `runtime_memory::note` was called for it
  bool may_block = false;  // handlers may block here: no turn keeps permits of its mailbox
  [[no_unique_address]] envelope_caches envelopes;
  [[no_unique_address]] mailbox_registry::cache cells;
  [[no_unique_address]] ask_registry::cache asks;
  thread_failures failures;

  trace_of_thread trace;
};

/// Everything that a turn works with: the system, the thread that runs the turn, and the actor.
/// A value, which is passed on. Context: that thread, during the turn.
struct turn_context {
  system_services& system;
  thread_record& thread;
  cell& actor;
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
/// Returns: how many messages left mailboxes and were not handled since the last call, less those
/// that left before and were handled since.
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

/// The record of all interrupts of a board, which only send. It is constant, since one interrupt
/// may interrupt another.
extern const thread_record interrupt_record;
/// The record of the caller. That of an interrupt may not be changed: see `port::in_interrupt`.
[[nodiscard]] inline thread_record& this_sender() noexcept {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): as said
  if (port::in_interrupt()) return const_cast<thread_record&>(interrupt_record);
  return this_thread();
}

}  // namespace tactor::inline v0::internal
