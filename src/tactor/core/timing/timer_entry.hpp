// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/tick.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>

namespace tactor::inline v0 {

namespace internal {
class overflow_queue;
class timer_list;
}  // namespace internal

/// One timer in a timer wheel; derive from it or hold it as a member. All-zero is the valid state
/// of an entry that is not scheduled. Context: owner of the wheel only.
///
/// inv 1  The links of a scheduled entry are those of one list: of its slot, of the due entries, or
///        of its rank in the overflow. `place_` says which.
class timer_entry {
public:
  constexpr timer_entry() noexcept = default;
  timer_entry(const timer_entry&) = delete;
  timer_entry& operator=(const timer_entry&) = delete;
  ~timer_entry() = default;

  /// Returns true if it is in a wheel.
  [[nodiscard]] bool scheduled() const noexcept { return place_.get() != place::nowhere; }

  /// The deadline at which it is or was due, or the value given to `set_deadline`.
  [[nodiscard]] tick deadline() const noexcept { return deadline_.get(); }
  /// Stores a deadline for a later insert. Requires: not scheduled.
  void set_deadline(tick deadline) noexcept { deadline_.set(deadline); }

  /// The order of eviction from a full overflow: 0 before 1 before 2. Requires: not scheduled.
  void set_rank(std::uint8_t rank) noexcept { rank_.set(rank); }
  /// Context: any thread that knows the entry.
  [[nodiscard]] std::uint8_t rank() const noexcept { return rank_.get(); }

private:
  friend class timer_wheel;
  friend class internal::overflow_queue;
  friend class internal::timer_list;

  enum class place : std::uint8_t { nowhere, wheel, overflow };

  port::plain<timer_entry*> next_;
  port::plain<timer_entry*> previous_;  // of the first one: the last one
  port::plain<tick> deadline_;
  port::plain<std::uint32_t> position_;  // in the heap of the overflow
  port::plain<place> place_;
  port::plain<std::uint8_t> rank_;
};

namespace internal {

/// A doubly linked list of entries. Its head is one pointer, so that an array of lists stays small.
/// It owns nothing; all operations are O(1). Context: owner only; not thread-safe.
///
/// inv 1  `first_` is null or the first entry.
/// inv 2  The previous entry of the first one is the last one, whose next is null.
class timer_list {
public:
  [[nodiscard]] constexpr bool empty() const noexcept { return first_ == nullptr; }
  /// The first entry, or null.
  [[nodiscard]] timer_entry* front() const noexcept { return first_; }
  /// The entry after `of`, or null.
  [[nodiscard]] static timer_entry* next(const timer_entry& of) noexcept { return of.next_.get(); }

  /// Touches no other entry but the first. Requires: `fresh` is in no list.
  void push_front(timer_entry& fresh) noexcept {
    fresh.next_.set(first_);
    fresh.previous_.set(first_ == nullptr ? &fresh : first_->previous_.get());  // keeps inv 2
    if (first_ != nullptr) first_->previous_.set(&fresh);
    first_ = &fresh;
  }

  /// Inserts `fresh` before `position`, or behind all entries if `position` is null. Requires:
  /// `fresh` is in no list.
  void insert_before(timer_entry* position, timer_entry& fresh) noexcept {
    if (empty() || position == first_) return push_front(fresh);
    timer_entry& follower = position == nullptr ? *first_ : *position;
    timer_entry& predecessor = *follower.previous_.get();
    fresh.next_.set(position);
    fresh.previous_.set(&predecessor);
    predecessor.next_.set(&fresh);
    follower.previous_.set(&fresh);  // of the first one: keeps inv 2
  }

  /// Requires: `entry` is in this list.
  void erase(const timer_entry& entry) noexcept {
    timer_entry* const follower = entry.next_.get();
    timer_entry* const predecessor = entry.previous_.get();
    if (&entry == first_) {
      first_ = follower;
    } else {
      predecessor->next_.set(follower);
    }
    // Behind the last one comes the first: keeps inv 2.
    timer_entry* const behind = follower != nullptr ? follower : first_;
    if (behind != nullptr) behind->previous_.set(predecessor);
  }

  /// Removes and returns the last entry. Requires: not empty.
  timer_entry& pop_back() noexcept {
    timer_entry& last = *first_->previous_.get();
    erase(last);
    return last;
  }

private:
  timer_entry* first_ = nullptr;
};

}  // namespace internal
}  // namespace tactor::inline v0
