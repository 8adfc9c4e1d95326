// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/mailbox_registry.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"

#include <cstddef>
#include <span>

namespace tactor::inline v0::internal {

/// A coordinator whose cells are named by index: for those who have no pointer and must not need
/// one. Nothing happens to an index that names no tenant, or one of the past. It keeps nothing.
///
/// Context: as the coordinator's own functions.
class indexed_coordinator {
public:
  /// Requires: both outlive it.
  indexed_coordinator(ready_queue_coordinator& queue, const mailbox_registry& cells) noexcept
      : queue_(queue), cells_(cells) {}

  /// As of the coordinator.
  void register_ready(mailbox_index which) const noexcept {
    if (cell* const c = cells_.find(which)) queue_.register_ready(*c);
  }
  /// As of the coordinator.
  void unregister(mailbox_index which) const noexcept {
    if (cell* const c = cells_.find(which)) queue_.unregister(*c);
  }
  /// Takes up to `out.size()` cells to run, in their order. Returns: how many.
  [[nodiscard]] std::size_t drain_ready_cycle(std::span<mailbox_index> out) const noexcept {
    std::size_t count = 0;
    ready_cell* next = nullptr;
    while (count < out.size() && queue_.drain_ready_cycle({&next, 1}) == 1) {
      const cell& c = static_cast<const cell&>(*next);
      out[count++] = {.slot = c.slot, .generation = c.tenant};
    }
    return count;
  }
  [[nodiscard]] wait_signal poll_wait_signal() const noexcept { return queue_.poll_wait_signal(); }
  /// As of the coordinator.
  void handle_invoke_result(mailbox_index which, const invoke_result& result) const noexcept {
    if (cell* const c = cells_.find(which)) queue_.handle_invoke_result(*c, result);
  }

private:
  ready_queue_coordinator& queue_;
  const mailbox_registry& cells_;
};

}  // namespace tactor::inline v0::internal
