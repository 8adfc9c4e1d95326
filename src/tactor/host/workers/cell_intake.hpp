// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>

namespace tactor::inline v0::internal {

/// Ready cells from many threads for the workers of a pool. A worker takes all of them at once.
///
/// A stack that is reversed when it is taken, like `mpsc_queue`; but several workers may take.
///
/// A worker that is about to sleep says so in a word of its own (seq_cst), then calls `empty`
/// again; a thread that has pushed reads that word (seq_cst): one of the two sees the other.
///
/// Thread safety: from any thread, lock-free.
///
/// inv 1  From `newest_` on, `next` leads through all cells that were pushed and not taken, newest
///        to oldest.
/// inv 2  `count_` is not less than the number of these cells.
class cell_intake {
public:
  /// Cells in the order in which they were pushed, linked by `ready_cell::next`; the last has null.
  struct chain {
    ready_cell* oldest = nullptr;
    ready_cell* newest = nullptr;
    std::size_t size = 0;
  };

  /// Requires: `fresh` is in no queue. Returns: whether there was no cell before it.
  [[nodiscard]] bool push(ready_cell& fresh) noexcept {
    if constexpr (counts) count_.fetch_add(1, relaxed);  // relaxed: a hint
    ready_cell* newest = newest_.load(relaxed);          // relaxed: only compared
    fresh.next.set(newest);
    // seq_cst: ties it to the word of a worker that sleeps
    while (!newest_.compare_exchange(newest, &fresh, seq_cst)) {  // pairs: cell_intake.newest
      fresh.next.set(newest);
    }
    return newest == nullptr;
  }

  /// Takes all cells.
  [[nodiscard]] chain take_all() noexcept {
    chain taken;
    ready_cell* each = newest_.exchange(nullptr, acquire);  // pairs: cell_intake.newest
    taken.newest = each;
    while (each != nullptr) {
      ready_cell* const older = each->next.get();
      each->next.set(taken.oldest);
      taken.oldest = each;
      ++taken.size;
      each = older;
    }
    if (counts && taken.size != 0) count_.fetch_sub(taken.size, relaxed);  // relaxed: a hint
    return taken;
  }

  /// Returns true if there was nothing to take at that moment.
  [[nodiscard]] bool empty() const noexcept {
    // seq_cst: ties it to the word of a worker that sleeps
    return newest_.load(seq_cst) == nullptr;  // pairs: cell_intake.newest
  }
  /// Returns true if it seems empty. A hint.
  [[nodiscard]] bool seems_empty() const noexcept {
    return newest_.load(relaxed) == nullptr;  // relaxed: a hint
  }
  /// Returns the number of cells. A hint.
  [[nodiscard]] std::size_t size() const noexcept {
    return count_.load(relaxed);  // relaxed: a hint
  }

private:
  static constexpr bool counts =
      port::has_real_layout;  // not in the model, where each step costs time

  // Written by: threads that push, workers that take. Read by: these. Publishes: the cells pushed
  // and their links.
  port::atomic<ready_cell*> newest_;
  // Written by: as above. Read by: any. Publishes: nothing.
  port::atomic<std::size_t> count_;
};

}  // namespace tactor::inline v0::internal
