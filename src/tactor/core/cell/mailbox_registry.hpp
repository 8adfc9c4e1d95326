// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/lifecycle_word.hpp"
#include "tactor/core/cell/slot_registry.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

/// The cells of all actors of the program, and their tenancies.
///
/// Thread safety: every function from any thread, with a cache of its own.
class mailbox_registry : public slot_registry<cell, ready_cell, &cell::slot> {
public:
  using slot_registry::slot_registry;

  /// Takes a free slot, and begins a tenancy there. Returns: null if there is no memory for one
  /// more.
  [[nodiscard]] cell* take(cache& here) noexcept {
    cell* const fresh = slot_registry::take(here);
    if (fresh == nullptr) return nullptr;
    // relaxed: the caller has the slot; its reference publishes the tenancy
    const lifecycle_word begun = lifecycle_word{fresh->lifecycle.load(relaxed)}.next_generation();
    fresh->lifecycle.store(begun.bits, relaxed);  // relaxed: as above
    fresh->tenant = begun.generation();
    return fresh;
  }

  /// Ends the tenancy: from now on every reference to it is stale. The slot is not free yet.
  /// Context: the worker that runs the cell.
  void end_tenancy(cell& left) noexcept {
    lifecycle_word before{left.lifecycle.load(relaxed)};  // relaxed: only compared
    // Not a plain store: another thread may be making a request to the tenant.
    // no mutant: a request that comes too late reads nothing of the tenant; tried: model.cell
    // accepts it
    while (!left.lifecycle.compare_exchange(before.bits, before.next_generation().bits,
                                            acq_rel)) {  // pairs: cell.lifecycle
    }
  }
  /// The cell that `index` names, or null if that tenancy is over. A hint: the mailbox decides.
  [[nodiscard]] cell* find(mailbox_index index) const noexcept {
    if (index.generation % 2 == 0) return nullptr;
    cell* const meant = at(index.slot);
    return meant != nullptr && meant->generation() == index.generation ? meant : nullptr;
  }
};

}  // namespace tactor::inline v0::internal
