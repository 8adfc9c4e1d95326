// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_fifo.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"

#include <cstddef>
#include <span>

namespace tactor::inline v0 {

/// A coordinator for one thread: first come, first served. For bare metal and cooperative loops.
/// All-zero but for its vtable pointer. Thread safety: on a board, `register_ready` also from interrupts;
/// each section without them has the same length, however many cells are ready.
class single_thread_coordinator final : public ready_queue_coordinator {
public:
  constexpr single_thread_coordinator() noexcept = default;
  single_thread_coordinator(const single_thread_coordinator&) = delete;
  single_thread_coordinator& operator=(const single_thread_coordinator&) = delete;
  ~single_thread_coordinator() = default;

  void register_ready(ready_cell& cell) noexcept override {
    const port::interrupts_masked section;
    if (cell.is_queued()) return;
    cell.note(ready_cell::mark::queued);
    ready_.push(cell);
  }

  /// `register_ready` of a cell that was idle, so that it is not queued. Context: interrupts are masked.
  void register_alone(ready_cell& cell) noexcept {
    cell.note(ready_cell::mark::queued);
    ready_.push(cell);
  }

  /// Linear: it is rare, and a cell that was taken out may be reused at once.
  void unregister(ready_cell& cell) noexcept override {
    if (!cell.is_queued()) return;
    ready_cell* const before = ready_.before(cell);  // an interrupt only appends
    const port::interrupts_masked section;
    ready_.erase_after(before, cell);
    cell.note(ready_cell::mark::out);
  }

  [[nodiscard]] std::size_t drain_ready_cycle(std::span<ready_cell*> out) noexcept override {
    std::size_t count = 0;
    while (count < out.size()) {
      const port::interrupts_masked section;
      ready_cell* const next = ready_.pop();
      if (next == nullptr) break;
      next->note(ready_cell::mark::out);
      out[count++] = next;
    }
    return count;
  }

  [[nodiscard]] wait_signal poll_wait_signal() noexcept override {
    return ready_.empty() ? wait_signal::pending : wait_signal::ready;
  }

  void handle_invoke_result(ready_cell& cell, const invoke_result& result) noexcept override {
    if (has_more(result)) register_ready(cell);
  }

  /// Linear.
  [[nodiscard]] ready_queue_usage usage() noexcept override {
    std::size_t cells = 0;
    for (const ready_cell* each = ready_.front(); each != nullptr; each = each->next.get())
      ++cells;
    return {.cells = cells, .bytes = sizeof(*this)};
  }

private:
  internal::intrusive_fifo<ready_cell> ready_;
};

namespace internal {

/// Makes a cell ready that was idle, without a virtual call: interrupts send to actors of a board's system, which has this
/// coordinator. Context: an interrupt, with interrupts masked.
inline void make_ready_alone(ready_cell& cell) noexcept {
  // relaxed: the mailbox publishes it
  ready_queue_coordinator* const runs_it = cell.coordinator.load(relaxed);
  static_cast<single_thread_coordinator*>(runs_it)->register_alone(cell);
}

}  // namespace internal
}  // namespace tactor::inline v0
