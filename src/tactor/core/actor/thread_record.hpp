// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell_store.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>

namespace tactor::inline v0 {

class actor_home;
struct worker_counters;

/// What the runtime keeps for each thread: who runs there, and memory at hand. All-zero is a thread
/// that has nothing to do with actors yet. Context: its thread.
struct thread_record {
  origin sender;                        // the actor that runs here
  actor_home* home = nullptr;           // its system; null: not a thread of any
  worker_counters* counters = nullptr;  // what it counts for its system
  std::uint32_t sends = 0;              // messages that a mailbox took, ever; wraps
  envelope_caches envelopes;
  cell_cache cells;
};

/// The record of this thread. On a board there is one for all.
extern constinit TACTOR_THREAD_LOCAL thread_record current_thread_record;
/// The record of the calling thread.
[[nodiscard]] inline thread_record& this_thread() noexcept {
  return current_thread_record;
}

}  // namespace tactor::inline v0
