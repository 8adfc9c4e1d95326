// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/cell/slot_registry.hpp"

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/cell/ask_slot.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/mailbox_registry.hpp"

#include <algorithm>
#include <new>

namespace tactor::inline v0::internal {

template <class Slot, class Node, std::uint32_t Slot::* Number>
void slot_registry<Slot, Node, Number>::confine_to(std::span<Slot> slots) noexcept {
  const lock_guard guard{making_};
  most_ = static_cast<std::uint32_t>(slots.size());
  for (std::uint32_t page = 0; page < most_pages && first_of(page) < most_; ++page)
    // relaxed: no slot has been made yet
    directory_[page].store(slots.data() + first_of(page), relaxed);
}

template <class Slot, class Node, std::uint32_t Slot::* Number>
Node* slot_registry<Slot, Node, Number>::refill(cache& here) noexcept {
  if (Node* const taken = here.take(free_)) return taken;
  node_chain<Node> fresh = make_slots();
  if (fresh.count == 0) return nullptr;
  Node& taken = fresh.pop();
  here.adopt(fresh, free_);
  return &taken;
}

/// Makes unused slots, at most a magazine of them. A page is mapped as a whole and touched as it is
/// used.
template <class Slot, class Node, std::uint32_t Slot::* Number>
node_chain<Node> slot_registry<Slot, Node, Number>::make_slots() noexcept {
  const lock_guard guard{making_};
  const std::uint32_t first = made_.load(relaxed);  // relaxed: the lock orders the writers
  const std::uint32_t page = page_of(first);
  if (page >= most_pages || first >= most_) return {};
  Slot* slots = directory_[page].load(relaxed);  // relaxed: the lock orders the writers
  if (slots == nullptr) {
    slots = static_cast<Slot*>(pages_->allocate(sizeof(Slot) * size_of(page), alignof(Slot)));
    if (slots == nullptr) return {};
    directory_[page].store(slots, relaxed);  // relaxed: as in `at`
  }
  const std::uint32_t left = std::min(first_of(page) + size_of(page), most_) - first;
  const std::uint32_t count = std::min(left, std::max<std::uint32_t>(magazine_capacity, 1));
  node_chain<Node> fresh;
  for (std::uint32_t number = first + count; number-- > first;) {  // the first one is taken first
    Slot* const made = ::new (static_cast<void*>(slots + (number - first_of(page)))) Slot;
    made->*Number = number;
    fresh.push(*made);
  }
  made_.store(first + count, release);  // pairs: slots.made
  return fresh;
}

template class slot_registry<cell, ready_cell, &cell::slot>;
template class slot_registry<ask_slot, ask_slot, &ask_slot::number>;

}  // namespace tactor::inline v0::internal
