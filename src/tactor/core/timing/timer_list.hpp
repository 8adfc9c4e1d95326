// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/half_word.hpp"
#include "tactor/core/timing/timer_entry.hpp"

#include <bit>
#include <cstdint>
#include <limits>

namespace tactor::inline v0::internal {

/// Names the entries of a wheel by numbers that are shorter than addresses. A value. Numbers count from an address below all entries, in units
/// of their alignment; 0 names no entry. There are two kinds: `link`, in entries, of 32 bits, and `head`, in lists, which is half as wide as
/// an address. On a board a link is an address, so that following it takes no instruction.
class entry_numbers {
public:
  using link = std::uint32_t;
  using head = half_word;

  /// `start`: aligned as an entry, and below all entries.
  explicit entry_numbers(const void* start) noexcept
      : start_(reinterpret_cast<std::uintptr_t>(start)) {}

  /// An address below all entries that are within 16 GB of `middle`, on a board within 128 KB. (It may wrap: only distances count.)
  [[nodiscard]] static const void* below(const void* middle) noexcept {
    constexpr std::uintptr_t half = (std::uintptr_t{std::numeric_limits<head>::max()} + 1) / 2;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): never dereferenced
    return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(middle) -
                                         (half << shift));
  }

  /// The link to an entry. Requires: `can_name(to)`.
  [[nodiscard]] link link_to(const timer_entry& to) const noexcept {
    if constexpr (links_are_addresses) return static_cast<link>(address(to));
    return static_cast<link>((address(to) - start_) >> shift);
  }
  /// The entry that a link leads to. Requires: it is not 0.
  [[nodiscard]] timer_entry& at(link to) const noexcept {
    const std::uintptr_t there = links_are_addresses ? to : start_ + (std::uintptr_t{to} << shift);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a link is half as wide as an address
    return *reinterpret_cast<timer_entry*>(there);
  }
  /// Likewise; null for 0.
  [[nodiscard]] timer_entry* entry(link to) const noexcept { return to == 0 ? nullptr : &at(to); }

  /// The link that a head stands for.
  [[nodiscard]] link link_of(head first) const noexcept {
    if constexpr (!links_are_addresses) return first;
    return first == 0 ? 0 : static_cast<link>(start_ + (std::uintptr_t{first} << shift));
  }
  /// The head that stands for a link.
  [[nodiscard]] head head_of(link first) const noexcept {
    if constexpr (!links_are_addresses) return static_cast<head>(first);
    return first == 0 ? head{} : static_cast<head>((first - start_) >> shift);
  }

  /// Whether the entry is above `start`, by less than 32 GB on a 64-bit machine, 256 KB on a 32-bit one.
  [[nodiscard]] bool can_name(const timer_entry& of) const noexcept {
    const std::uintptr_t distance = address(of) - start_;
    return distance != 0 && distance >> shift <= std::numeric_limits<head>::max();
  }

private:
  static constexpr bool links_are_addresses = sizeof(link) == sizeof(std::uintptr_t);
  static constexpr unsigned shift = std::countr_zero(alignof(timer_entry));

  static std::uintptr_t address(const timer_entry& of) noexcept {
    return reinterpret_cast<std::uintptr_t>(&of);
  }

  std::uintptr_t start_;
};

/// A doubly linked list of entries, half as wide as an address, so that an array of lists stays small. It owns nothing; all
/// operations are O(1). Every list of a wheel is used with the same `entry_numbers`. Context: owner only; not thread-safe.
///
/// inv 1  `first_` is 0 or names the first entry.
/// inv 2  The previous entry of the first one is the last one, whose next is 0.
class timer_list {
  using link = entry_numbers::link;

public:
  [[nodiscard]] constexpr bool empty() const noexcept { return first_ == 0; }
  /// Null if it is empty.
  [[nodiscard]] timer_entry* front(const entry_numbers& by) const noexcept {
    return by.entry(first(by));
  }
  /// Requires: not empty.
  [[nodiscard]] timer_entry& back(const entry_numbers& by) const noexcept {
    return by.at(previous_of(by.at(first(by))));
  }
  /// The entry after `of`, or null.
  [[nodiscard]] static timer_entry* next(const entry_numbers& by, const timer_entry& of) noexcept {
    return by.entry(next_of(of));
  }
  /// The entry before `of`; of the first one: the last one.
  [[nodiscard]] static timer_entry& previous(const entry_numbers& by,
                                             const timer_entry& of) noexcept {
    return by.at(previous_of(of));
  }
  /// Whether `of` is the first or the last entry. Requires: not empty.
  [[nodiscard]] bool ends_with(const entry_numbers& by, const timer_entry& of) const noexcept {
    const timer_entry& front = by.at(first(by));
    return &front == &of || previous_of(front) == by.link_to(of);
  }

  /// Touches no other entry but the first. Requires: `fresh` is in no list.
  void push_front(const entry_numbers& by, timer_entry& fresh) noexcept {
    const link to_fresh = by.link_to(fresh);
    const link follower = first(by);
    first_ = by.head_of(to_fresh);
    set_next(fresh, follower);
    link last = to_fresh;  // keeps inv 2
    if (follower != 0) {
      timer_entry& second = by.at(follower);
      last = previous_of(second);
      set_previous(second, to_fresh);
    }
    set_previous(fresh, last);
  }

  /// Inserts `fresh` before `position`, or behind all entries if `position` is null. Requires: `fresh` is in no list.
  void insert_before(const entry_numbers& by, timer_entry* position, timer_entry& fresh) noexcept {
    if (empty() || position == front(by)) return push_front(by, fresh);
    timer_entry& follower = position == nullptr ? *front(by) : *position;
    timer_entry& predecessor = by.at(previous_of(follower));
    set_next(fresh, next_of(predecessor));
    set_previous(fresh, previous_of(follower));
    set_next(predecessor, by.link_to(fresh));
    set_previous(follower, by.link_to(fresh));  // of the first one: keeps inv 2
  }

  /// Requires: `entry` is in this list, or neither the first nor the last of another one.
  void erase(const entry_numbers& by, const timer_entry& entry) noexcept {
    const link follower = next_of(entry);
    const link predecessor = previous_of(entry);
    link first_one = first(by);
    if (by.link_to(entry) == first_one) {
      first_one = follower;
      first_ = by.head_of(follower);
    } else {
      set_next(by.at(predecessor), follower);
    }
    // Behind the last one comes the first: keeps inv 2.
    const link behind = follower != 0 ? follower : first_one;
    if (behind != 0) set_previous(by.at(behind), predecessor);
  }

  /// Removes and returns the last entry. Requires: not empty.
  timer_entry& pop_back(const entry_numbers& by) noexcept {
    timer_entry& last = back(by);
    erase(by, last);
    return last;
  }

private:
  [[nodiscard]] link first(const entry_numbers& by) const noexcept { return by.link_of(first_); }
  static link next_of(const timer_entry& of) noexcept { return of.first_.get(); }
  static link previous_of(const timer_entry& of) noexcept { return of.second_.get(); }
  static void set_next(timer_entry& of, link to) noexcept { of.first_.set(to); }
  static void set_previous(timer_entry& of, link to) noexcept { of.second_.set(to); }

  entry_numbers::head first_ = 0;
};

}  // namespace tactor::inline v0::internal
