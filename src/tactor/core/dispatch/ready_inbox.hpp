// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_fifo.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>

namespace tactor::inline v0 {

/// The part that the coordinators of one thread share: the queue of the cells that were made ready,
/// in that order. The thread takes them out; in which order they run is the coordinator's decision.
///
/// Thread safety: on a board, `register_ready` also from interrupts; each section without them has
/// the same length, however many cells are ready.
class ready_inbox : public ready_queue_coordinator {
public:
  ready_inbox(const ready_inbox&) = delete;
  ready_inbox& operator=(const ready_inbox&) = delete;

  void register_ready(ready_cell& cell) noexcept final {
    const port::interrupts_masked section;
    if (!cell.is_queued()) register_alone(cell);
  }

  /// `register_ready` of a cell that was idle, so that it is not queued. Context: interrupts are
  /// masked.
  void register_alone(ready_cell& cell) noexcept {
    cell.note(ready_cell::mark::queued);
    inbox_.push(cell);
  }

  void handle_invoke_result(ready_cell& cell, const invoke_result& result) noexcept final {
    if (has_more(result)) register_ready(cell);
  }

protected:
  using queue = internal::intrusive_fifo<ready_cell>;

  constexpr ready_inbox() noexcept = default;
  ~ready_inbox() = default;

  /// The cells that were made ready. Context: the thread; interrupts append to it.
  [[nodiscard]] queue& inbox() noexcept { return inbox_; }

  /// Counts the cells in a queue. It walks the queue.
  [[nodiscard]] static std::size_t count_of(const queue& cells) noexcept {
    std::size_t count = 0;
    for (const ready_cell* each = cells.front(); each != nullptr; each = each->next.get())
      ++count;
    return count;
  }

private:
  queue inbox_;
};

namespace internal {

/// Makes a cell ready that was idle, without a virtual call: interrupts send to actors of a board's
/// system, whose coordinator has an inbox. Context: an interrupt, with interrupts masked.
inline void make_ready_alone(ready_cell& cell) noexcept {
  // relaxed: the mailbox publishes it
  ready_queue_coordinator* const runs_it = cell.coordinator.load(relaxed);
  static_cast<ready_inbox*>(runs_it)->register_alone(cell);
}

}  // namespace internal
}  // namespace tactor::inline v0
