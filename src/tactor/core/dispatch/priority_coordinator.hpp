// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_fifo.hpp"
#include "tactor/core/dispatch/ready_inbox.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tactor::inline v0 {

/// A coordinator for one thread whose cells have priorities: of the cells that are ready, those
/// with the highest priority run first, and cells of one priority in the order in which they became
/// ready. A cell that runs is not interrupted. Cells of a high priority that are always ready keep
/// all others from running.
///
/// Interrupts know the inbox only, so priorities cost them nothing; the thread sorts the inbox
/// before each turn. Thread safety: see `ready_inbox`.
///
/// inv 1  Bit n of `occupied_` is set exactly if level n has a cell.
class priority_coordinator final : public ready_inbox {
public:
  /// A queue for each priority.
  using level = internal::intrusive_fifo<ready_cell>;
  static constexpr std::size_t most_levels = 32;

  /// Requires: 1 to 32 levels, empty, which outlive it.
  explicit priority_coordinator(std::span<level> levels) noexcept : levels_(levels) {}
  priority_coordinator(const priority_coordinator&) = delete;
  priority_coordinator& operator=(const priority_coordinator&) = delete;
  ~priority_coordinator() = default;

  /// Linear: it is rare, and a cell that was taken out may be reused at once.
  void unregister(ready_cell& cell) noexcept override {
    if (!cell.is_queued()) return;
    sort_inbox();
    const std::size_t at = level_of(cell);
    levels_[at].erase(cell);
    note_taken(at);
    cell.note(ready_cell::mark::out);
  }

  [[nodiscard]] std::size_t drain_ready_cycle(std::span<ready_cell*> out) noexcept override {
    std::size_t count = 0;
    sort_inbox();
    for (; count < out.size() && occupied_ != 0; ++count) {
      const auto at = static_cast<std::size_t>(std::bit_width(occupied_)) - 1;
      ready_cell* const next = levels_[at].pop();
      note_taken(at);
      next->note(ready_cell::mark::out);
      out[count] = next;
    }
    return count;
  }

  [[nodiscard]] wait_signal poll_wait_signal() noexcept override {
    return inbox().empty() && occupied_ == 0 ? wait_signal::pending : wait_signal::ready;
  }

  /// Linear.
  [[nodiscard]] ready_queue_usage usage() noexcept override {
    std::size_t cells = count_of(inbox());
    for (const level& each : levels_)
      cells += count_of(each);
    return {.cells = cells, .bytes = sizeof(*this) + levels_.size_bytes()};
  }

private:
  [[nodiscard]] std::size_t level_of(const ready_cell& cell) const noexcept {
    return std::min<std::size_t>(cell.priority, levels_.size() - 1);
  }
  void note_taken(std::size_t at) noexcept {
    if (levels_[at].empty()) occupied_ &= ~(std::uint32_t{1} << at);
  }
  [[nodiscard]] ready_cell* take_from_inbox() noexcept {
    const port::interrupts_masked section;
    return inbox().pop();
  }
  /// A queued cell is not made ready again, so this ends, whatever interrupts do.
  void sort_inbox() noexcept {
    while (ready_cell* const next = take_from_inbox()) {
      const std::size_t at = level_of(*next);
      levels_[at].push(*next);
      occupied_ |= std::uint32_t{1} << at;
    }
  }

  std::span<level> levels_;
  std::uint32_t occupied_ = 0;
};

}  // namespace tactor::inline v0
