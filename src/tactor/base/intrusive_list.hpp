// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <utility>

namespace tactor::inline v0::internal {

template <class T>
class intrusive_list;

/// Base class of an element of an `intrusive_list<T>`. An element is in at most one list at a time.
template <class T>
class intrusive_list_node {
  friend intrusive_list<T>;

  port::plain<T*> next_;
  port::plain<T*> previous_;  // of the first element: the last element
};

/// A doubly linked list that owns nothing and is one pointer wide, so that an array of lists stays
/// small. All operations are O(1). Context: owner only; not thread-safe.
///
/// inv 1  `first_` is null or the first element.
/// inv 2  `previous_` of the first element is the last element, whose `next_` is null.
template <class T>
class intrusive_list {
public:
  constexpr intrusive_list() noexcept = default;
  constexpr intrusive_list(intrusive_list&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)) {}
  constexpr intrusive_list& operator=(intrusive_list&& other) noexcept {
    first_ = std::exchange(other.first_, nullptr);
    return *this;
  }
  intrusive_list(const intrusive_list&) = delete;
  intrusive_list& operator=(const intrusive_list&) = delete;
  ~intrusive_list() = default;

  [[nodiscard]] constexpr bool empty() const noexcept { return first_ == nullptr; }
  [[nodiscard]] constexpr T* front() const noexcept { return first_; }
  /// Requires: not empty.
  [[nodiscard]] constexpr T* back() const noexcept { return node(*first_).previous_.get(); }
  /// Returns: the element after `of`, or null.
  [[nodiscard]] constexpr T* next(const T& of) const noexcept { return node(of).next_.get(); }
  /// Returns: the element before `of`, or null.
  [[nodiscard]] constexpr T* previous(const T& of) const noexcept {
    return &of == first_ ? nullptr : node(of).previous_.get();
  }

  /// Requires: `fresh` is in no list.
  constexpr void push_back(T& fresh) noexcept { insert_before(nullptr, fresh); }

  /// Touches no element but the first, unlike `push_back`. Requires: `fresh` is in no list.
  constexpr void push_front(T& fresh) noexcept {
    T* const follower = std::exchange(first_, &fresh);
    node(fresh).next_.set(follower);
    node(fresh).previous_.set(follower == nullptr ? &fresh : node(*follower).previous_.get());
    if (follower != nullptr) node(*follower).previous_.set(&fresh);  // keeps inv 2
  }

  /// Inserts `fresh` before `position`, or behind all elements if `position` is null.
  /// Requires: `fresh` is in no list.
  constexpr void insert_before(T* position, T& fresh) noexcept {
    if (position == first_) return push_front(fresh);  // also into an empty list
    T& follower = position == nullptr ? *first_ : *position;
    T* const predecessor = node(follower).previous_.get();
    node(fresh).next_.set(position);
    node(fresh).previous_.set(predecessor);
    node(*predecessor).next_.set(&fresh);
    node(follower).previous_.set(&fresh);  // of the first one: keeps inv 2
  }

  /// Requires: `element` is in this list.
  constexpr void erase(T& element) noexcept {
    T* const follower = node(element).next_.get();
    T* const predecessor = node(element).previous_.get();
    if (&element == first_) {
      first_ = follower;
    } else {
      node(*predecessor).next_.set(follower);
    }
    // Behind the last one comes the first: keeps inv 2.
    T* const behind = follower != nullptr ? follower : first_;
    if (behind != nullptr) node(*behind).previous_.set(predecessor);
  }

  /// Removes and returns the first element, or returns null.
  constexpr T* pop_front() noexcept {
    T* const element = first_;
    if (element != nullptr) erase(*element);
    return element;
  }
  /// Removes and returns the last element, or returns null.
  constexpr T* pop_back() noexcept {
    if (empty()) return nullptr;
    T* const element = back();
    erase(*element);
    return element;
  }

private:
  static constexpr intrusive_list_node<T>& node(T& element) noexcept { return element; }
  static constexpr const intrusive_list_node<T>& node(const T& element) noexcept { return element; }

  T* first_ = nullptr;
};

}  // namespace tactor::inline v0::internal
