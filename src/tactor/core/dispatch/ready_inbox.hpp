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
    if (cell.is_queued()) return;
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

}  // namespace tactor::inline v0
