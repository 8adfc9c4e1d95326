// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/dispatch/single_thread_coordinator.hpp"

namespace tactor::inline v0::internal {

/// Makes a cell ready that was idle, without a virtual call: interrupts send to actors of a board's system, which has this
/// coordinator. Context: an interrupt, with interrupts masked.
inline void make_ready_alone(ready_cell& cell) noexcept {
  // relaxed: the mailbox publishes it
  ready_queue_coordinator* const runs_it = cell.coordinator.load(relaxed);
  static_cast<single_thread_coordinator*>(runs_it)->register_alone(cell);
}

}  // namespace tactor::inline v0::internal
