// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/timing/overflow_queue.hpp"

namespace tactor::inline v0::internal {
namespace {

constexpr std::size_t children = 4;

constexpr std::size_t parent_of(std::size_t position) {
  return (position - 1) / children;
}

}  // namespace

void overflow_queue::push(timer_entry& fresh, tick deadline) noexcept {
  of_rank_[fresh.rank()].push_front(fresh);
  ++rank_sizes_[fresh.rank()];
  fresh.set_deadline(deadline);
  fresh.place_.set(timer_entry::place::overflow);
  sift_up(size_++, {.deadline = deadline, .sequence = next_sequence_++, .entry = &fresh});
}

timer_entry& overflow_queue::pop() noexcept {
  timer_entry& first = *storage_[0].entry;
  erase(first);
  return first;
}

void overflow_queue::erase(timer_entry& entry) noexcept {
  const std::size_t hole = entry.position_.get();
  of_rank_[entry.rank()].erase(entry);
  --rank_sizes_[entry.rank()];
  entry.place_.set(timer_entry::place::nowhere);
  const overflow_item last = storage_[--size_];
  if (hole == size_) return;

  const bool rises = hole > 0 && comes_before(last, storage_[parent_of(hole)]);
  if (rises) {
    sift_up(hole, last);
  } else {
    sift_down(hole, last);
  }
}

bool overflow_queue::comes_before(const overflow_item& a, const overflow_item& b) noexcept {
  return a.deadline != b.deadline ? a.deadline < b.deadline : a.sequence < b.sequence;
}

void overflow_queue::place(std::size_t position, const overflow_item& item) noexcept {
  storage_[position] = item;
  item.entry->position_.set(static_cast<std::uint32_t>(position));
}

void overflow_queue::sift_up(std::size_t hole, const overflow_item& item) noexcept {
  while (hole > 0 && comes_before(item, storage_[parent_of(hole)])) {
    place(hole, storage_[parent_of(hole)]);
    hole = parent_of(hole);
  }
  place(hole, item);
}

void overflow_queue::sift_down(std::size_t hole, const overflow_item& item) noexcept {
  while (hole * children + 1 < size_) {
    const std::size_t child = first_child_of(hole);
    if (!comes_before(storage_[child], item)) break;
    place(hole, storage_[child]);
    hole = child;
  }
  place(hole, item);
}

/// Requires: `parent` has a child.
std::size_t overflow_queue::first_child_of(std::size_t parent) const noexcept {
  std::size_t first = parent * children + 1;
  const std::size_t end = first + children < size_ ? first + children : size_;
  for (std::size_t child = first + 1; child < end; ++child) {
    if (comes_before(storage_[child], storage_[first])) first = child;
  }
  return first;
}

}  // namespace tactor::inline v0::internal
