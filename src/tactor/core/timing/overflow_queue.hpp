// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_list.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/timing/timer_entry.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace tactor::inline v0::internal {

/// How many ranks of entries there are; see `timer_entry::set_rank`.
inline constexpr std::size_t timer_ranks = 4;

/// Storage for one entry of the overflow. The keys are stored next to each other, so sifting does
/// not access entries.
struct overflow_item_of_host {
  using number = std::uint64_t;
  constexpr overflow_item_of_host() noexcept = default;
  constexpr overflow_item_of_host(timer_entry& of, number arrived) noexcept
      : due(of.deadline()), sequence(arrived), entry(&of) {}
  [[nodiscard]] constexpr tick deadline() const noexcept { return due; }

  tick due;
  number sequence = 0;
  timer_entry* entry = nullptr;
};
/// Likewise, where an access to an entry costs no more than any other: its deadline is the one that the entry has. Of two entries of
/// one deadline the first to arrive is known unless 2^31 others have arrived in between.
struct overflow_item_of_board {
  using number = std::uint32_t;
  constexpr overflow_item_of_board() noexcept = default;
  constexpr overflow_item_of_board(timer_entry& of, number arrived) noexcept
      : sequence(arrived), entry(&of) {}
  [[nodiscard]] constexpr tick deadline() const noexcept { return entry->deadline(); }

  number sequence = 0;
  timer_entry* entry = nullptr;
};
using overflow_item =
    std::conditional_t<port::has_interrupts, overflow_item_of_board, overflow_item_of_host>;

/// Timers too far ahead for the wheel, ordered by deadline, then by arrival. A heap with four
/// children per node in storage that the caller owns: every operation is O(log n) in the worst
/// case, also the first one after a million inserts, unlike heaps that are O(log n) on average.
/// Context: owner only; not thread-safe.
///
/// inv 1  No item comes before its parent, by (deadline, sequence).
/// inv 2  The entry of the item at position p has `place_` = `in_overflow + p`, and its deadline.
/// inv 3  Each entry is in the list of its rank, in the order of arrival. (Its links are free: it
///        is in no slot.)
class overflow_queue {
public:
  constexpr explicit overflow_queue(std::span<overflow_item> storage) noexcept
      : storage_(storage) {}

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] bool full() const noexcept { return size_ == storage_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return storage_.size(); }

  /// How many entries of `rank` there are.
  [[nodiscard]] std::size_t size(std::size_t rank) const noexcept { return rank_sizes_[rank]; }
  /// The entry of `rank` that arrived last, or null.
  [[nodiscard]] timer_entry* newest(std::size_t rank) const noexcept {
    return by_rank_[rank].empty() ? nullptr : by_rank_[rank].back();
  }

  /// When the first entry falls due. Requires: not empty.
  [[nodiscard]] tick next_deadline() const noexcept { return storage_[0].deadline(); }

  /// Requires: not full; `fresh` is in no wheel.
  void push(timer_entry& fresh, tick deadline) noexcept;
  /// Removes and returns the first entry. Requires: not empty.
  timer_entry& pop() noexcept;
  /// Requires: `entry` is in this queue.
  void erase(timer_entry& entry) noexcept;

private:
  static bool comes_before(const overflow_item& a, const overflow_item& b) noexcept;

  void place(std::size_t position, const overflow_item& item) noexcept;
  void sift_up(std::size_t hole, const overflow_item& item) noexcept;
  void sift_down(std::size_t hole, const overflow_item& item) noexcept;
  [[nodiscard]] std::size_t first_child_of(std::size_t parent) const noexcept;

  std::span<overflow_item> storage_;
  std::size_t size_ = 0;
  overflow_item::number next_sequence_ = 0;
  std::array<intrusive_list<timer_entry>, timer_ranks> by_rank_{};
  std::array<std::size_t, timer_ranks> rank_sizes_{};
};

}  // namespace tactor::inline v0::internal
