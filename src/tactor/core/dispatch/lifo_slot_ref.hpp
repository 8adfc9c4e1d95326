// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/port/port.hpp"

namespace tactor::inline v0::internal {

/// Where a worker of a pool puts the cell that it makes ready first in its turn: whoever sends knows
/// it, and goes the way through the coordinator only if the place is taken. All-zero: the thread is no
/// worker, or its coordinator wants to know of every cell. Context: one thread.
struct lifo_slot_ref {
  ready_queue_coordinator* queue = nullptr;  // whose worker the thread is
  port::atomic<ready_cell*>* slot = nullptr;

  /// Puts `fresh` there, if it is ready for this worker and nothing is in its way.
  /// Returns: false, and nothing has changed, if that has to be left to `runs_it`.
  [[nodiscard]] bool put(ready_cell& fresh, const ready_queue_coordinator* runs_it) noexcept {
    if (runs_it != queue) return false;
    if (slot->load(relaxed) != nullptr) return false;  // relaxed: only this thread puts cells there
    if (fresh.ready.load(acquire) != ready_cell::mark::out) return false;  // pairs: pool.mark
    fresh.note(ready_cell::mark::queued);
    slot->store(&fresh, release);  // pairs: pool.lifo_slot
    return true;
  }
};

}  // namespace tactor::inline v0::internal
