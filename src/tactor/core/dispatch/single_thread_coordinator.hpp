// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/dispatch/ready_inbox.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"

#include <cstddef>
#include <span>

namespace tactor::inline v0 {

/// A coordinator for one thread: first come, first served. For bare metal and cooperative loops.
/// All-zero but for its vtable pointer. Thread safety: see `ready_inbox`.
class single_thread_coordinator final : public ready_inbox {
public:
  constexpr single_thread_coordinator() noexcept = default;
  single_thread_coordinator(const single_thread_coordinator&) = delete;
  single_thread_coordinator& operator=(const single_thread_coordinator&) = delete;
  ~single_thread_coordinator() = default;

  /// Linear: it is rare, and a cell that was taken out may be reused at once.
  void unregister(ready_cell& cell) noexcept override {
    if (!cell.is_queued()) return;
    ready_cell* const before = inbox().before(cell);  // an interrupt only appends
    const port::interrupts_masked section;
    inbox().erase_after(before, cell);
    cell.note(ready_cell::mark::out);
  }

  [[nodiscard]] std::size_t drain_ready_cycle(std::span<ready_cell*> out) noexcept override {
    std::size_t count = 0;
    while (count < out.size()) {
      const port::interrupts_masked section;
      ready_cell* const next = inbox().pop();
      if (next == nullptr) break;
      next->note(ready_cell::mark::out);
      out[count++] = next;
    }
    return count;
  }

  [[nodiscard]] wait_signal poll_wait_signal() noexcept override {
    return inbox().empty() ? wait_signal::pending : wait_signal::ready;
  }

  /// Linear.
  [[nodiscard]] ready_queue_usage usage() noexcept override {
    return {.cells = count_of(inbox()), .bytes = sizeof(*this)};
  }
};

}  // namespace tactor::inline v0
