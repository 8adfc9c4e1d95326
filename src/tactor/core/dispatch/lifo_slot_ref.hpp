// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/port/port.hpp"

namespace tactor::inline v0::internal {

/// The LIFO slot of a pool's worker, for the first cell that becomes ready in its turn. Senders on
/// this thread fill it directly and call the coordinator only if it is taken. All-zero: the thread
/// is no worker, or its coordinator must see every cell. Context: one thread.
struct lifo_slot_ref {
  ready_queue_coordinator* queue = nullptr;  // the coordinator whose worker the thread is
  port::atomic<ready_cell*>* slot = nullptr;

  /// Puts `fresh` into the slot if the cell runs on this worker's coordinator and the slot is free.
  /// Returns: false, and nothing has changed: call `register_ready` of `runs_it`.
  [[nodiscard]] bool put(ready_cell& fresh, const ready_queue_coordinator* runs_it) noexcept {
    if (runs_it != queue) return false;
    port::atomic<ready_cell*>& into = *slot;
    if (into.load(relaxed) != nullptr) return false;  // relaxed: only this thread puts cells there
    // no mutant: the mailbox orders this after the last drain; tried: model.pool accepts a relaxed
    // one
    if (fresh.ready.load(acquire) != ready_cell::mark::out) return false;  // pairs: pool.mark
    fresh.note(ready_cell::mark::queued);
    into.store(&fresh, release);  // pairs: pool.lifo_slot
    return true;
  }
};

}  // namespace tactor::inline v0::internal
