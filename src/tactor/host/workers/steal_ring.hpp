// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tactor::inline v0::internal {

/// The ready cells of one worker, oldest first. Other workers may steal half of them.
///
/// The owner pushes with a store and takes with a compare-exchange on the head; a thief copies half
/// and then moves the head over all of them with one compare-exchange. The counters never wrap.
///
/// Thread safety: `push`, `pop`, `front`, `take_half` and being the target of a theft by the owner;
/// the rest from any thread.
///
/// inv 1  The slots from the head up to the tail hold the cells; only the owner moves the tail, the
///        head only grows.
/// inv 2  A slot is written again only after the head has moved past it: a thread that copied the
///        slot before has either taken it with that move, or fails.
template <std::size_t Capacity = 256>
class steal_ring {
  static_assert(std::has_single_bit(Capacity) && Capacity >= 2);

public:
  static constexpr std::size_t capacity = Capacity;

  steal_ring() noexcept = default;
  steal_ring(const steal_ring&) = delete;
  steal_ring& operator=(const steal_ring&) = delete;
  ~steal_ring() = default;

  /// Returns: false if it is full. Context: the owner.
  [[nodiscard]] bool push(ready_cell& fresh) noexcept {
    const std::uint64_t end = tail_.load(relaxed);  // relaxed: only this thread writes it
    if (storage(end) == 0) return false;
    slot(end).store(&fresh, relaxed);  // relaxed: the tail publishes it
    tail_.store(end + 1, release);     // pairs: steal_ring.tail
    return true;
  }

  /// Takes the oldest. Returns: null if there is none. Context: the owner.
  [[nodiscard]] ready_cell* pop() noexcept {
    const std::uint64_t end = tail_.load(relaxed);  // relaxed: only this thread writes it
    std::uint64_t first = head_.load(relaxed);      // relaxed: only compared
    while (first != end) {
      ready_cell* const oldest = slot(first).load(relaxed);  // relaxed: this thread wrote it
      // relaxed: what a thief released in the head before stays released in it
      if (head_.compare_exchange(first, first + 1, relaxed)) return oldest;
    }
    return nullptr;
  }

  /// The oldest, which a thief may take at any time. Returns: null if there is none. Context: the
  /// owner.
  [[nodiscard]] ready_cell* front() const noexcept {
    const std::uint64_t end = tail_.load(relaxed);    // relaxed: only this thread writes it
    const std::uint64_t first = head_.load(relaxed);  // relaxed: a hint
    return first != end ? slot(first).load(relaxed) : nullptr;  // relaxed: this thread wrote it
  }

  /// Takes the older half; for a full ring. Returns: how many; 0 only if it holds at most one cell.
  /// Context: the owner.
  [[nodiscard]] std::size_t take_half(std::span<ready_cell*, Capacity / 2> out) noexcept {
    const std::uint64_t end = tail_.load(relaxed);  // relaxed: only this thread writes it
    std::uint64_t first = head_.load(relaxed);      // relaxed: only compared
    while (true) {
      const std::size_t half = static_cast<std::size_t>(end - first) / 2;
      for (std::size_t i = 0; i < half; ++i)
        out[i] = slot(first + i).load(relaxed);  // relaxed: this thread wrote it
      // relaxed: as in `pop`
      if (half == 0 || head_.compare_exchange(first, first + half, relaxed)) return half;
    }
  }

  /// Moves the older half, rounded up, to the end of `other`, as far as it has room.
  /// Returns: how many; 0 also if another thread took cells meanwhile. Context: the owner of `other`.
  [[nodiscard]] std::size_t steal_half_into(steal_ring& other) noexcept {
    std::uint64_t first = head_.load(relaxed);  // relaxed: the exchange says whether it was right
    const std::uint64_t end = tail_.load(acquire);  // pairs: steal_ring.tail
    const std::uint64_t held = end - first;
    if (held > Capacity) return 0;                           // head and tail do not match
    const std::uint64_t theirs = other.tail_.load(relaxed);  // relaxed: only this thread writes it
    const std::uint64_t count = std::min(held - held / 2, other.storage(theirs));
    if (count == 0) return 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      ready_cell* const each = slot(first + i).load(relaxed);  // relaxed: the tail published it
      other.slot(theirs + i).store(each, relaxed);             // relaxed: the tail publishes it
    }
    // Keeps inv 2: the copies are made before the owner can see that the slots are free.
    if (!head_.compare_exchange(first, first + count, release)) return 0;  // pairs: steal_ring.head
    other.tail_.store(theirs + count, release);                            // pairs: steal_ring.tail
    return static_cast<std::size_t>(count);
  }

  /// The number of cells. A hint; for the owner an upper bound.
  [[nodiscard]] std::size_t size() const noexcept {
    const std::uint64_t first = head_.load(relaxed);  // relaxed: a hint
    const std::uint64_t end = tail_.load(relaxed);    // relaxed: a hint
    return end > first ? static_cast<std::size_t>(std::min<std::uint64_t>(end - first, Capacity))
                       : 0;
  }

  /// The number of cells taken out so far. A hint.
  [[nodiscard]] std::uint64_t position() const noexcept {
    return head_.load(relaxed);  // relaxed: a hint
  }

private:
  static constexpr std::size_t apart = port::has_real_layout ? port::cache_line : alignof(void*);

  [[nodiscard]] port::atomic<ready_cell*>& slot(std::uint64_t position) noexcept {
    return slots_[static_cast<std::size_t>(position % Capacity)];
  }
  [[nodiscard]] const port::atomic<ready_cell*>& slot(std::uint64_t position) const noexcept {
    return slots_[static_cast<std::size_t>(position % Capacity)];
  }
  // For the owner, whose tail is `end`. Slots it finds free may be written: keeps inv 2.
  [[nodiscard]] std::uint64_t storage(std::uint64_t end) const noexcept {
    return Capacity - (end - head_.load(acquire));  // pairs: steal_ring.head
  }

  // Written by: owner and thieves, to take cells. Read by: owner and thieves. Publishes: that a thief
  // has read the slots below.
  alignas(apart) port::atomic<std::uint64_t> head_;
  // Written by: the owner. Read by: thieves. Publishes: the slots below, and the cells in them.
  alignas(apart) port::atomic<std::uint64_t> tail_;
  // Written by: the owner. Read by: owner and thieves. Publishes: nothing; the tail does.
  alignas(apart) std::array<port::atomic<ready_cell*>, Capacity> slots_;
};

}  // namespace tactor::inline v0::internal
