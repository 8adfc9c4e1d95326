// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_list.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/timing/timer_entry.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tactor::inline v0::internal {

/// The number of ranks that entries have; see `timer_entry::set_rank`.
inline constexpr std::size_t timer_ranks = 3;

/// Storage for one entry of the overflow. The keys are stored next to each other, so sifting does
/// not access entries.
struct overflow_item {
  tick deadline;
  std::uint64_t sequence = 0;  // in the order of arrival
  timer_entry* entry = nullptr;
};

/// Timers too far ahead for the wheel, ordered by deadline, then by arrival. A heap with four
/// children per node in storage that the caller owns: every operation is O(log n) in the worst
/// case, also the first one after a million inserts, unlike heaps that are O(log n) on average.
/// Context: owner only; not thread-safe.
///
/// inv 1  No item comes before its parent, by (deadline, sequence).
/// inv 2  The entry of the item at position p knows p.
/// inv 3  The entries of each rank are in its list, the newest first.
class overflow_queue {
public:
  explicit overflow_queue(std::span<overflow_item> storage) noexcept : storage_(storage) {}

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] bool full() const noexcept { return size_ == storage_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return storage_.size(); }

  /// Returns the number of entries of `rank`.
  [[nodiscard]] std::size_t size(std::size_t rank) const noexcept { return rank_sizes_[rank]; }
  /// The entry of `rank` that arrived last, or null.
  [[nodiscard]] timer_entry* newest(std::size_t rank) const noexcept {
    return of_rank_[rank].front();
  }

  /// Returns the deadline of the first entry. Requires: not empty.
  [[nodiscard]] tick next_deadline() const noexcept { return storage_[0].deadline; }

  /// Requires: not full; `fresh` is in no wheel.
  void push(timer_entry& fresh, tick deadline) noexcept;
  /// Removes and returns the first entry. Requires: not empty.
  timer_entry& pop() noexcept;
  /// Removes an entry. Requires: `entry` is in this queue.
  void erase(timer_entry& entry) noexcept;

private:
  static bool comes_before(const overflow_item& a, const overflow_item& b) noexcept;

  void place(std::size_t position, const overflow_item& item) noexcept;
  void sift_up(std::size_t hole, const overflow_item& item) noexcept;
  void sift_down(std::size_t hole, const overflow_item& item) noexcept;
  [[nodiscard]] std::size_t first_child_of(std::size_t parent) const noexcept;

  std::span<overflow_item> storage_;
  std::size_t size_ = 0;
  std::uint64_t next_sequence_ = 0;
  std::array<intrusive_list<timer_entry>, timer_ranks> of_rank_{};
  std::array<std::size_t, timer_ranks> rank_sizes_{};
};

}  // namespace tactor::inline v0::internal
