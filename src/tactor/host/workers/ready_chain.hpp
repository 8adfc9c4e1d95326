// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>

namespace tactor::inline v0::internal {

/// Ready cells, first in, first out, linked through `ready_cell::next`. Context: whoever has the lock
/// that protects it.
class ready_chain {
public:
  /// Behind all others.
  void append(ready_cell& fresh) noexcept {
    fresh.next.set(nullptr);
    if (ready_cell* const newest = newest_.get()) {
      newest->next.set(&fresh);
    } else {
      oldest_.set(&fresh);
    }
    newest_.set(&fresh);
    count_.set(count_.get() + 1);
  }

  /// Returns: null if there is none.
  [[nodiscard]] ready_cell* front() const noexcept { return oldest_.get(); }

  /// Returns: null if there is none.
  ready_cell* pop() noexcept {
    ready_cell* const oldest = oldest_.get();
    if (oldest == nullptr) return nullptr;
    oldest_.set(oldest->next.get());
    if (oldest_.get() == nullptr) newest_.set(nullptr);
    count_.set(count_.get() - 1);
    return oldest;
  }

  [[nodiscard]] std::size_t size() const noexcept { return count_.get(); }
  [[nodiscard]] bool empty() const noexcept { return oldest_.get() == nullptr; }

private:
  port::cell<ready_cell*> oldest_;
  port::cell<ready_cell*> newest_;
  port::cell<std::size_t> count_;
};

}  // namespace tactor::inline v0::internal
