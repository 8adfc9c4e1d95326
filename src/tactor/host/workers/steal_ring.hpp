// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/memory_source.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>  // IWYU pragma: keep (placement new)
#include <span>

namespace tactor::inline v0::internal {

/// The ready cells of one worker, oldest first. Other workers may steal some of them. It grows, and
/// stays as large.
///
/// The owner pushes with a store and takes with a compare-exchange on the head; a thief copies
/// cells and then moves the head over all of them with one compare-exchange. The counters never
/// wrap.
///
/// Thread safety: `push`, `grow`, `pop`, `front`, `take_oldest` and being the target of a theft by
/// the owner; the rest from any thread.
///
/// inv 1  The slots from the head up to the tail hold the cells; only the owner moves the tail, the
///        head only grows.
/// inv 2  A slot is written again only after the head has moved past it: a thread that copied the
///        slot before has either taken it with that move, or fails.
/// inv 3  A larger block of slots holds a copy of the cells before it takes the place of the
/// smaller
///        one, which is not written any more. A thief reads the tail first and then the block, so
///        the block has a slot for each cell below that tail.
template <std::size_t First = 256, std::size_t Most = std::size_t{1} << 20>
class steal_ring {
  static_assert(std::has_single_bit(First) && First >= 2);
  static_assert(std::has_single_bit(Most) && Most >= First);

public:
  /// At most this many are stolen or taken at once: while a thief copies them, the owner must not
  /// take one.
  static constexpr std::size_t most_at_once = First / 2;

  steal_ring() noexcept = default;
  steal_ring(const steal_ring&) = delete;
  steal_ring& operator=(const steal_ring&) = delete;
  ~steal_ring() {
    const block* each = block_.load(relaxed);  // relaxed: no other thread is left
    for (; each != &first_; each = each->smaller)
      std::destroy_n(each->slots, each->capacity);
  }

  /// Returns: false if it is full. Context: the owner.
  [[nodiscard]] bool push(ready_cell& fresh) noexcept {
    const std::uint64_t end = tail_.load(relaxed);  // relaxed: only this thread writes it
    const block& here = own();
    if (storage(here, end) == 0) return false;
    here.slot(end).store(&fresh, relaxed);  // relaxed: the tail publishes it
    tail_.store(end + 1, release);          // pairs: steal_ring.tail
    return true;
  }

  /// Doubles its capacity. Returns: false, and nothing has changed, if it has the largest capacity
  /// or there is no memory. Context: the owner.
  [[nodiscard]] bool grow(page_source& pages) noexcept {
    const block& old = own();
    if (old.capacity >= Most) return false;
    const std::size_t capacity = 2 * old.capacity;
    void* const storage =
        pages.allocate(sizeof(block) + capacity * sizeof(slot_type), alignof(block));
    if (storage == nullptr) return false;
    auto* const slots =
        reinterpret_cast<slot_type*>(static_cast<std::byte*>(storage) + sizeof(block));
    std::uninitialized_default_construct_n(slots, capacity);
    const block& larger =
        *::new (storage) block{.capacity = capacity, .slots = slots, .smaller = &old};
    const std::uint64_t end = tail_.load(relaxed);  // relaxed: only this thread writes it
    // relaxed: an older head only means that more are copied
    for (std::uint64_t each = head_.load(relaxed); each != end; ++each)
      larger.slot(each).store(old.slot(each).load(relaxed),
                              relaxed);  // relaxed: the block publishes
    block_.store(&larger, release);      // pairs: steal_ring.block
    return true;
  }

  /// Takes the oldest. Returns: null if there is none. Context: the owner.
  [[nodiscard]] ready_cell* pop() noexcept {
    const std::uint64_t end = tail_.load(relaxed);  // relaxed: only this thread writes it
    std::uint64_t first = head_.load(relaxed);      // relaxed: only compared
    while (first != end) {
      ready_cell* const oldest = own().slot(first).load(relaxed);  // relaxed: this thread wrote it
      // relaxed: what a thief released in the head before stays released in it
      if (head_.compare_exchange(first, first + 1, relaxed)) return oldest;
    }
    return nullptr;
  }

  /// Returns the oldest, which a thief may take at any time; null if there is none. Context: the
  /// owner.
  [[nodiscard]] ready_cell* front() const noexcept {
    const std::uint64_t end = tail_.load(relaxed);    // relaxed: only this thread writes it
    const std::uint64_t first = head_.load(relaxed);  // relaxed: a hint
    return first != end ? own().slot(first).load(relaxed) : nullptr;  // relaxed: as in `pop`
  }

  /// Takes the oldest, at most half of all. Returns: how many; 0 only if it holds at most one cell.
  /// Context: the owner.
  [[nodiscard]] std::size_t take_oldest(std::span<ready_cell*, most_at_once> out) noexcept {
    const std::uint64_t end = tail_.load(relaxed);  // relaxed: only this thread writes it
    std::uint64_t first = head_.load(relaxed);      // relaxed: only compared
    while (true) {
      const std::size_t some = std::min(static_cast<std::size_t>(end - first) / 2, most_at_once);
      for (std::size_t i = 0; i < some; ++i)
        out[i] = own().slot(first + i).load(relaxed);  // relaxed: this thread wrote it
      // relaxed: as in `pop`
      if (some == 0 || head_.compare_exchange(first, first + some, relaxed)) return some;
    }
  }

  /// Moves the older half, rounded up, to the end of `other`: at most `most_at_once`, and as far as
  /// it has room. Returns: how many; 0 also if another thread took cells meanwhile. Context: the
  /// owner of `other`.
  [[nodiscard]] std::size_t steal_half_into(steal_ring& other) noexcept {
    std::uint64_t first = head_.load(relaxed);  // relaxed: the exchange says whether it was right
    const std::uint64_t end = tail_.load(acquire);  // pairs: steal_ring.tail
    const block& theirs = *block_.load(acquire);    // pairs: steal_ring.block
    const std::uint64_t held = end - first;
    if (held > theirs.capacity) return 0;  // head and tail do not match
    const block& ours = other.own();
    const std::uint64_t to = other.tail_.load(relaxed);  // relaxed: only this thread writes it
    const std::uint64_t half = std::min<std::uint64_t>(held - held / 2, most_at_once);
    const std::uint64_t count = std::min(half, other.storage(ours, to));
    if (count == 0) return 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      ready_cell* const each =
          theirs.slot(first + i).load(relaxed);  // relaxed: the tail published it
      ours.slot(to + i).store(each, relaxed);    // relaxed: the tail publishes it
    }
    // Keeps inv 2: the copies are made before the owner can see that the slots are free.
    // no mutant: the copy would be of a later store (load buffering), which the checker does not
    // know
    if (!head_.compare_exchange(first, first + count, release)) return 0;  // pairs: steal_ring.head
    other.tail_.store(to + count, release);                                // pairs: steal_ring.tail
    return static_cast<std::size_t>(count);
  }

  /// Returns the number of cells. A hint; for the owner an upper bound.
  [[nodiscard]] std::size_t size() const noexcept {
    const std::uint64_t first = head_.load(relaxed);  // relaxed: a hint
    const std::uint64_t end = tail_.load(relaxed);    // relaxed: a hint
    return end > first ? static_cast<std::size_t>(std::min<std::uint64_t>(end - first, Most)) : 0;
  }

  /// Returns the number of cells taken out so far. A hint.
  [[nodiscard]] std::uint64_t position() const noexcept {
    return head_.load(relaxed);  // relaxed: a hint
  }
  /// Returns the number of cells put in so far. A hint.
  [[nodiscard]] std::uint64_t end() const noexcept {
    return tail_.load(relaxed);  // relaxed: a hint
  }

  /// Returns the number of cells it can hold before it grows. Context: the owner.
  [[nodiscard]] std::size_t capacity() const noexcept { return own().capacity; }

private:
  static constexpr std::size_t apart = port::has_real_layout ? port::cache_line : alignof(void*);
  using slot_type = port::atomic<ready_cell*>;

  struct block {
    std::size_t capacity;
    slot_type* slots;
    const block* smaller;  // which it replaced

    [[nodiscard]] slot_type& slot(std::uint64_t position) const noexcept {
      return slots[static_cast<std::size_t>(position & (capacity - 1))];
    }
  };

  // The block in use. Context: the owner.
  [[nodiscard]] const block& own() const noexcept {
    return *block_.load(relaxed);  // relaxed: only this thread writes it
  }
  // For the owner, whose tail is `end`. Slots it finds free may be written: keeps inv 2.
  [[nodiscard]] std::uint64_t storage(const block& in, std::uint64_t end) const noexcept {
    // no mutant: see `steal_half_into`
    return in.capacity - (end - head_.load(acquire));  // pairs: steal_ring.head
  }

  // Written by: the owner. Read by: owner and thieves. Publishes: nothing; the tail does.
  alignas(apart) std::array<slot_type, First> slots_;
  // Written by: owner and thieves, to take cells. Read by: owner and thieves. Publishes: that a
  // thief has read the slots below.
  alignas(apart) port::atomic<std::uint64_t> head_;
  // Written by: the owner. Read by: thieves. Publishes: the slots below, the cells in them, and the
  // block that has these slots.
  alignas(apart) port::atomic<std::uint64_t> tail_;
  // Written by: the owner. Read by: thieves. Publishes: the slots of the block.
  port::atomic<const block*> block_{&first_};
  // constant
  block first_{.capacity = First, .slots = slots_.data(), .smaller = nullptr};
};

}  // namespace tactor::inline v0::internal
