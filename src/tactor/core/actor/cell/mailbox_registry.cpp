// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/cell/mailbox_registry.hpp"

#include <algorithm>
#include <memory>
#include <new>

namespace tactor::inline v0::internal {

ready_cell* mailbox_registry::refill(cell_cache& cache) noexcept {
  if (ready_cell* const taken = cache.take(free_)) return taken;
  node_chain<ready_cell> fresh = make_slots();
  if (fresh.count == 0) return nullptr;
  ready_cell& taken = fresh.pop();
  cache.adopt(fresh, free_);
  return &taken;
}

void mailbox_registry::confine_to(cell* slots, std::size_t count) noexcept {
  const lock_guard guard{making_};
  most_slots_ = static_cast<slot_count>(count);
  for (std::uint32_t page = 0; page < most_pages && first_slot_of(page) < most_slots_; ++page)
    // relaxed: no slot has been made yet
    directory_[page].store(nth(slots, first_slot_of(page)), relaxed);
}

/// Unused slots, at most a magazine of them. A page is mapped as a whole and touched as it is used.
node_chain<ready_cell> mailbox_registry::make_slots() noexcept {
  const lock_guard guard{making_};
  const std::uint32_t first = made_.load(relaxed);  // relaxed: the lock orders the writers
  const std::uint32_t page = page_of(first);
  const bool confined = port::has_interrupts || most_slots_ != 0;
  if (page >= most_pages || (confined && first >= most_slots_)) return {};
  cell* slots = directory_[page].load(relaxed);  // relaxed: the lock orders the writers
  if (slots == nullptr) {
    // All-zero is the valid unused cell, so zeroed pages hold valid cells.
    slots = static_cast<cell*>(pages_.allocate(board_slots.size() * size_of(page), slot_alignment));
    if (slots == nullptr) return {};
    directory_[page].store(slots, relaxed);  // relaxed: as in `at`
  }
  std::uint32_t end = most_slots_;
  if constexpr (!port::has_interrupts) {
    end = first_slot_of(page) + size_of(page);
    if (confined) end = std::min(end, std::uint32_t{most_slots_});
  }
  const std::uint32_t left = end - first;
  const std::uint32_t count = std::min(left, magazine_capacity);
  node_chain<ready_cell> fresh;
  for (std::uint32_t i = count; i > 0; --i) {  // so that the first slot is taken first
    const std::uint32_t slot = first + i - 1;
    cell* made = nth(slots, slot - first_slot_of(page));
    // A board does without the code: its memory is all-zero.
    if constexpr (!port::has_interrupts) made = ::new (static_cast<void*>(made)) cell;
    made->slot = static_cast<cell::slot_number>(slot);
    fresh.push(*made);
  }
  made_.store(static_cast<slot_count>(first + count), release);  // pairs: cell.made
  return fresh;
}

}  // namespace tactor::inline v0::internal
