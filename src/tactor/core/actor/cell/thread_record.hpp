// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/mailbox_registry.hpp"
#include "tactor/core/dispatch/lifo_slot_ref.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

class system_services;
struct worker_counters;

/// What the runtime keeps for each thread: who runs there, and memory at hand. All-zero is a thread
/// that has nothing to do with actors yet. Context: its thread.
struct thread_record {
  origin sender;                          // the actor that runs here
  system_services* services = nullptr;    // its system; null: not a thread of any
  worker_counters* counters = nullptr;    // what it counts for its system
  std::uint32_t sends = 0;                // messages that a mailbox took, ever; wraps
  std::uint32_t turn_limit = 0;           // of messages in the turn that runs here; 0: the home's
  lifo_slot_ref next;                     // for what this thread makes ready
  ready_cell* overload_target = nullptr;  // who was last sent more than it keeps up with,
  origin overload_source;                 // and by whom
  std::uint64_t push_timeout_ns = 0;      // for room in a mailbox; 0: as long as that lets it wait
  // Written by: its thread. Read by: who wants to know what it is at. Publishes: nothing.
  port::atomic<const message_operations*> handling;  // the message that was taken last
  bool ending = false;  // an actor ends here: what it leaves undone, it leaves because it stops
  bool met = false;     // whoever cares for threads that end knows of this one; see runtime_memory
  envelope_caches envelopes;
  cell_cache cells;

  // How the handler that runs here fails, if it does: whoever fails writes it, nobody else reads it.
  // Here and not in the invoker, which so needs no room on the stack and can leave the rest to others
  // without coming back.
  failure why = failure::nothing_yet();
};

/// The record of this thread. On a board there is one for all.
extern constinit TACTOR_THREAD_LOCAL thread_record current_thread_record;
/// The record of the calling thread.
[[nodiscard]] inline thread_record& this_thread() noexcept {
  return current_thread_record;
}

}  // namespace tactor::inline v0::internal
