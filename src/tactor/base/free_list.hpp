// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/assert.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace tactor::inline v0::panics {
inline constexpr port::panic_code free_list_too_large{
    .module = 2,
    .id = 1,
    .advice = "a pool holds fewer than 2^32 objects on a 64-bit machine, 2^16 on a 32-bit one"};
}  // namespace tactor::inline v0::panics

namespace tactor::inline v0::internal {

/// Base class of a slot of a `free_list`. All-zero is the valid start.
class free_list_slot {
public:
  /// Keeps a number in a slot that is taken, in place of the link, until the slot is put back.
  /// Context: the user of the slot.
  void keep(port::half_word number) noexcept {
    next_free_.store(number, relaxed);  // relaxed: a number
  }
  /// Returns: the number kept last. Requires: the slot is taken, and one was kept.
  [[nodiscard]] port::half_word kept() const noexcept {
    return next_free_.load(relaxed);  // relaxed: a number
  }

private:
  template <class Slot>
  friend class free_list;
  // Written by: put, keep. Read by: kept; take, possibly of a slot that is no longer free (its
  // exchange then fails). Publishes: nothing; the index + 1 of the next free slot, 0 for none.
  port::atomic<port::half_word> next_free_;
};

/// The unused slots of an array. Threads take slots and put them back without a lock.
///
/// Thread safety: every function from any thread or interrupt, lock-free.
///
/// inv 1  A slot is never used (at or above `used()`), taken, or in the list.
/// inv 2  `free_` changes its tag with every take, so an exchange that succeeds has seen no other
///        take in between. (Unless the tag wraps to the same value while one thread is suspended
///        between two instructions: after 2^32 takes on a 64-bit machine, 2^16 on a 32-bit one.)
template <class Slot>
class free_list {
public:
  /// The index that `take` returns when no slot is left.
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// Makes a list without slots.
  constexpr free_list() noexcept = default;

  /// Requires: `slots` are all-zero, or were left by an earlier list; they outlive this list.
  constexpr explicit free_list(std::span<Slot> slots) noexcept : slots_(slots) {
    TACTOR_ASSERT(slots.size() < (std::size_t{1} << index_bits), panics::free_list_too_large);
  }

  /// Takes an unused slot. What was written before it was put back is visible.
  /// Returns: its index, or `none`.
  [[nodiscard]] std::uint32_t take() noexcept {
    const std::uint32_t index = take_from_list();
    return index != none ? index : take_fresh();
  }

  /// Requires: `index` came from `take` and is put back once.
  void put(std::uint32_t index) noexcept { put_chain(index + 1, index); }

  /// Slots that are put back with one exchange, by one thread. Empty at the start.
  class batch {
    friend free_list;
    // Index + 1. The links lead from it to the first one, and so on round to itself.
    std::uint32_t last_ = 0;
  };
  /// Requires: as for `put`; the slot goes back with the batch.
  void add(batch& to, std::uint32_t index) noexcept {
    if (to.last_ == 0) {
      to.last_ = index + 1;
    } else {
      // relaxed: slots of this thread
      const port::half_word first = link(to.last_ - 1).load(relaxed);
      link(index).store(first, relaxed);  // relaxed: see above
    }
    link(to.last_ - 1)
        .store(static_cast<port::half_word>(index + 1), relaxed);  // relaxed: see above
  }
  /// Puts back all slots of the batch; it is empty then.
  void put(batch& all) noexcept {
    if (all.last_ == 0) return;
    const std::uint32_t last = std::exchange(all.last_, 0) - 1;
    put_chain(link(last).load(relaxed), last);  // relaxed: a slot of this thread
  }

  /// Returns: the index below which all slots have been taken at least once.
  [[nodiscard]] std::uint32_t used() const noexcept {
    // seq_cst: ties the slots to a word in which their user forbids further takes. A thread that
    // writes that word and then calls this sees every slot taken without seeing the word.
    return fresh_.load(seq_cst);  // pairs: free.fresh
  }

private:
  using word = std::uintptr_t;
  static constexpr unsigned index_bits = std::numeric_limits<word>::digits / 2;

  // A word: index + 1 of the first free slot (0: none) in the low bits, the tag in the rest.
  [[nodiscard]] std::uint32_t first_of(word head) const noexcept {
    return static_cast<std::uint32_t>(head & ((word{1} << index_bits) - 1));
  }
  [[nodiscard]] word with_first(word head, std::uint32_t first) const noexcept {
    return (head >> index_bits << index_bits) | first;
  }
  [[nodiscard]] word next_tag(word head) const noexcept { return head + (word{1} << index_bits); }
  [[nodiscard]] port::atomic<port::half_word>& link(std::uint32_t index) noexcept {
    free_list_slot& slot = slots_[index];
    return slot.next_free_;
  }

  /// `first`: index + 1.
  void put_chain(std::uint32_t first, std::uint32_t last) noexcept {
    word head = free_.load(relaxed);  // relaxed: only compared
    do {
      // relaxed: published by the exchange
      link(last).store(static_cast<port::half_word>(first_of(head)), relaxed);
    } while (!free_.compare_exchange(head, with_first(head, first), release));  // pairs: free.list
  }

  std::uint32_t take_from_list() noexcept {
    word head = free_.load(acquire);  // pairs: free.list
    while (first_of(head) != 0) {
      const std::uint32_t index = first_of(head) - 1;
      const std::uint32_t next = link(index).load(relaxed);  // relaxed: stale if the exchange fails
      const word desired = with_first(next_tag(head), next);             // keeps inv 2
      if (free_.compare_exchange(head, desired, acquire)) return index;  // pairs: free.list
    }
    return none;
  }

  std::uint32_t take_fresh() noexcept {
    std::uint32_t index = fresh_.load(relaxed);  // relaxed: only compared
    while (index < slots_.size()) {
      // seq_cst: the other half of `used`
      if (fresh_.compare_exchange(index, index + 1, seq_cst)) return index;  // pairs: free.fresh
    }
    return none;
  }

  // constant after construction
  std::span<Slot> slots_;

  // Written by: take, put. Read by: take, put. Publishes: free slots, their contents, their links.
  port::atomic<word> free_;
  // Written by: take. Read by: any thread. Publishes: nothing; seq_cst against a word of the user.
  port::atomic<std::uint32_t> fresh_;
};

}  // namespace tactor::inline v0::internal
