// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/cell/ask_registry.hpp"

#include "tactor/base/lock_guard.hpp"

#include <algorithm>
#include <memory>
#include <new>

namespace tactor::inline v0::internal {

void ask_registry::confine_to(std::span<ask_slot> slots) noexcept {
  const lock_guard guard{making_};
  confined_ = true;
  most_ = static_cast<std::uint32_t>(slots.size());
  for (std::uint32_t page = 0; page < most_pages && first_of(page) < most_; ++page)
    directory_[page].store(&slots[first_of(page)], relaxed);  // relaxed: no slot has been made yet
}

ask_slot* ask_registry::refill(ask_cache& cache) noexcept {
  if (ask_slot* const taken = cache.take(free_)) return taken;
  node_chain<ask_slot> fresh = make_slots();
  if (fresh.count == 0) return nullptr;
  ask_slot& taken = fresh.pop();
  cache.adopt(fresh, free_);
  return &taken;
}

/// Makes unused slots, at most a magazine of them. A page is mapped as a whole and touched as it is
/// used.
node_chain<ask_slot> ask_registry::make_slots() noexcept {
  const lock_guard guard{making_};
  const std::uint32_t first = made_.load(relaxed);  // relaxed: the lock orders the writers
  const std::uint32_t page = page_of(first);
  if (page >= most_pages || (confined_ && first >= most_)) return {};
  ask_slot* slots = directory_[page].load(relaxed);  // relaxed: the lock orders the writers
  if (slots == nullptr) {
    slots = static_cast<ask_slot*>(
        pages_->allocate(sizeof(ask_slot) * size_of(page), alignof(ask_slot)));
    if (slots == nullptr) return {};
    directory_[page].store(slots, relaxed);  // relaxed: as in `at`
  }
  std::uint32_t end = first_of(page) + size_of(page);
  if (confined_) end = std::min(end, most_);
  const std::uint32_t count = std::min(end - first, std::max<std::uint32_t>(magazine_capacity, 1));
  node_chain<ask_slot> fresh;
  for (std::uint32_t number = first + count; number-- > first;) {  // the first one is taken first
    ask_slot* const made = ::new (static_cast<void*>(slots + (number - first_of(page)))) ask_slot;
    made->number = number;
    fresh.push(*made);
  }
  made_.store(first + count, relaxed);  // relaxed: statistic only
  return fresh;
}

}  // namespace tactor::inline v0::internal
