// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/cell/mailbox_registry.hpp"

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
  most_slots_ = static_cast<std::uint32_t>(count);
  for (std::uint32_t page = 0; page < most_pages && first_slot_of(page) < most_slots_; ++page)
    // relaxed: no slot has been made yet
    directory_[page].store(slots + first_slot_of(page), relaxed);
}

/// Unused slots, at most a magazine of them. A page is mapped as a whole and touched as it is used.
node_chain<ready_cell> mailbox_registry::make_slots() noexcept {
  const lock_guard guard{making_};
  const std::uint32_t first = made_.load(relaxed);  // relaxed: the lock orders the writers
  const std::uint32_t page = page_of(first);
  const bool confined = most_slots_ != 0;
  if (page >= most_pages || (confined && first >= most_slots_)) return {};
  cell* slots = directory_[page].load(relaxed);  // relaxed: the lock orders the writers
  if (slots == nullptr) {
    // All-zero is the valid unused cell, so zeroed pages hold valid cells.
    slots = static_cast<cell*>(pages_->allocate(sizeof(cell) * size_of(page), alignof(cell)));
    if (slots == nullptr) return {};
    directory_[page].store(slots, relaxed);  // relaxed: as in `at`
  }
  std::uint32_t end = first_slot_of(page) + size_of(page);
  if (confined) end = std::min(end, most_slots_);
  const std::uint32_t left = end - first;
  const std::uint32_t count = std::min(left, std::max<std::uint32_t>(magazine_capacity, 1));
  node_chain<ready_cell> fresh;
  for (std::uint32_t i = count; i > 0; --i) {  // so that the first slot is taken first
    const std::uint32_t slot = first + i - 1;
    cell* const made = ::new (static_cast<void*>(slots + (slot - first_slot_of(page)))) cell;
    made->slot = slot;
    fresh.push(*made);
  }
  made_.store(first + count, release);  // pairs: cell.made
  return fresh;
}

}  // namespace tactor::inline v0::internal
