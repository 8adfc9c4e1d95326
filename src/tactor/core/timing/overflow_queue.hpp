// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/half_word.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/timing/timer_entry.hpp"
#include "tactor/core/timing/timer_list.hpp"
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
  constexpr overflow_item_of_host(timer_entry& of, tick deadline, number arrived) noexcept
      : due(deadline), sequence(arrived), entry(&of) {}
  [[nodiscard]] constexpr tick deadline() const noexcept { return due; }

  tick due;
  number sequence = 0;
  timer_entry* entry = nullptr;
};
/// Likewise, where an access to an entry costs no more than any other: its deadline is in the entry, where the host has the links of a
/// list. Of two entries of one deadline the first to arrive is known unless 2^31 others have arrived in between.
struct overflow_item_of_board {
  using number = std::uint32_t;
  constexpr overflow_item_of_board() noexcept = default;
  overflow_item_of_board(timer_entry& of, tick deadline, number arrived) noexcept
      : sequence(arrived), entry(&of) {
    of.set_deadline(deadline);
  }
  [[nodiscard]] tick deadline() const noexcept { return entry->deadline(); }

  number sequence = 0;
  timer_entry* entry = nullptr;
};
using overflow_item =
    std::conditional_t<port::has_interrupts, overflow_item_of_board, overflow_item_of_host>;

/// Whether `a` came before `b`. Numbers may wrap.
[[nodiscard]] constexpr bool arrived_before(const overflow_item& a,
                                            const overflow_item& b) noexcept {
  using difference = std::make_signed_t<overflow_item::number>;
  return static_cast<difference>(a.sequence - b.sequence) < 0;
}

/// Which entry of a rank has arrived last: the entries of each rank in a list, the newest first.
class newest_entries_of_host {
public:
  void add(const entry_numbers& by, timer_entry& fresh) noexcept {
    lists_[fresh.rank()].push_front(by, fresh);
  }
  void remove(const entry_numbers& by, timer_entry& entry) noexcept {
    lists_[entry.rank()].erase(by, entry);
  }
  [[nodiscard]] timer_entry* find(std::size_t rank, const entry_numbers& by,
                                  std::span<const overflow_item> /*all*/) const noexcept {
    return lists_[rank].front(by);
  }

private:
  std::array<timer_list, timer_ranks> lists_{};
};
/// Likewise on a board, whose overflow has room for all of its timers, so that none is ever evicted: a look at every entry.
class newest_entries_of_board {
public:
  static void add(const entry_numbers& /*by*/, timer_entry& /*fresh*/) noexcept {}
  static void remove(const entry_numbers& /*by*/, timer_entry& /*entry*/) noexcept {}
  [[nodiscard]] static timer_entry* find(std::size_t rank, const entry_numbers& /*by*/,
                                         std::span<const overflow_item> all) noexcept {
    const overflow_item* newest = nullptr;
    for (const overflow_item& each : all) {
      if (each.entry->rank() != rank) continue;
      if (newest == nullptr || arrived_before(*newest, each)) newest = &each;
    }
    return newest == nullptr ? nullptr : newest->entry;
  }
};
using newest_entries =
    std::conditional_t<port::has_interrupts, newest_entries_of_board, newest_entries_of_host>;

/// Timers too far ahead for the wheel, ordered by deadline, then by arrival. A heap with four
/// children per node in storage that the caller owns: every operation is O(log n) in the worst
/// case, also the first one after a million inserts, unlike heaps that are O(log n) on average.
/// Context: owner only; not thread-safe.
///
/// inv 1  No item comes before its parent, by (deadline, sequence).
/// inv 2  The entry of the item at position p knows p.
class overflow_queue {
public:
  /// `by` names all entries.
  overflow_queue(std::span<overflow_item> storage, const entry_numbers& by) noexcept
      : storage_(storage), numbers_(by) {}

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] bool full() const noexcept { return size_ == storage_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return storage_.size(); }

  /// How many entries of `rank` there are.
  [[nodiscard]] std::size_t size(std::size_t rank) const noexcept { return rank_sizes_[rank]; }
  /// The entry of `rank` that arrived last, or null.
  [[nodiscard]] timer_entry* newest(std::size_t rank) const noexcept {
    return newest_.find(rank, numbers_, storage_.first(size_));
  }

  /// When the first entry falls due. Requires: not empty.
  [[nodiscard]] tick next_deadline() const noexcept { return storage_[0].deadline(); }
  /// When an entry falls due. Requires: `entry` is in this queue.
  [[nodiscard]] tick deadline_of(const timer_entry& entry) const noexcept {
    return storage_[entry.number()].deadline();
  }

  /// Requires: not full; `fresh` is in no wheel.
  void push(timer_entry& fresh, tick deadline) noexcept;
  /// Removes and returns the first entry, with its deadline. Requires: not empty.
  timer_entry& pop() noexcept;
  /// Removes an entry; it has its deadline then. Requires: `entry` is in this queue.
  void erase(timer_entry& entry) noexcept;

private:
  static bool comes_before(const overflow_item& a, const overflow_item& b) noexcept;

  void place(std::size_t position, const overflow_item& item) noexcept;
  void sift_up(std::size_t hole, const overflow_item& item) noexcept;
  void sift_down(std::size_t hole, const overflow_item& item) noexcept;
  [[nodiscard]] std::size_t first_child_of(std::size_t parent) const noexcept;

  std::span<overflow_item> storage_;
  entry_numbers numbers_;
  std::size_t size_ = 0;
  overflow_item::number next_sequence_ = 0;
  [[no_unique_address]] newest_entries newest_;
  std::array<half_word, timer_ranks> rank_sizes_{};
};

}  // namespace tactor::inline v0::internal
