// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <cstddef>

namespace tactor::inline v0::internal {

/// Elements in the order in which they were pushed, linked through their member `next`, a
/// `port::plain<T*>`. Two pointers wide; owns nothing. An element is in at most one chain at a
/// time. Context: owner only, or under the lock that protects it.
///
/// inv 1  From `oldest_` on, `next` leads through all elements to `newest_`, whose `next` is null.
///        While there is none, `oldest_` is null and `newest_` means nothing.
template <class T>
class intrusive_fifo {
public:
  constexpr intrusive_fifo() noexcept = default;

  [[nodiscard]] bool empty() const noexcept { return oldest_.get() == nullptr; }
  /// Returns: the oldest element, or null.
  [[nodiscard]] T* front() const noexcept { return oldest_.get(); }

  /// Requires: `fresh` is in no chain.
  void push(T& fresh) noexcept { append(fresh, fresh); }
  /// Appends the elements from `oldest` to `newest`. Requires: `next` leads from one to the other,
  /// they are in no chain.
  void append(T& oldest, T& newest) noexcept {
    newest.next.set(nullptr);
    if (empty()) {
      oldest_.set(&oldest);
    } else {
      newest_.get()->next.set(&oldest);
    }
    newest_.set(&newest);
  }
  /// Removes and returns the oldest element, or returns null.
  T* pop() noexcept {
    T* const oldest = oldest_.get();
    if (oldest != nullptr) oldest_.set(oldest->next.get());
    return oldest;
  }
  /// Removes an element, wherever it stands: a walk. Requires: it is in this chain.
  void erase(T& element) noexcept { erase_after(before(element), element); }
  /// Walks to the element before this one. Returns: null if this is the oldest one. Requires: it is
  /// in this chain.
  [[nodiscard]] T* before(const T& element) const noexcept {
    T* before = nullptr;
    for (T* each = oldest_.get(); each != &element; each = each->next.get())
      before = each;
    return before;
  }
  /// Removes an element. Requires: `before` is the element before it, or null.
  void erase_after(T* before, T& element) noexcept {
    (before == nullptr ? oldest_ : before->next).set(element.next.get());
    if (newest_.get() == &element) newest_.set(before);
  }

private:
  port::plain<T*> oldest_;
  port::plain<T*> newest_;
};

/// An `intrusive_fifo` that knows how many elements it has.
template <class T>
class counted_fifo : private intrusive_fifo<T> {
public:
  using intrusive_fifo<T>::empty;
  using intrusive_fifo<T>::front;

  [[nodiscard]] std::size_t size() const noexcept { return size_.get(); }
  /// See `intrusive_fifo`.
  void push(T& fresh) noexcept {
    intrusive_fifo<T>::push(fresh);
    size_.set(size_.get() + 1);
  }
  /// See `intrusive_fifo`. Requires: `count` is the number of elements.
  void append(T& oldest, T& newest, std::size_t count) noexcept {
    intrusive_fifo<T>::append(oldest, newest);
    size_.set(size_.get() + count);
  }
  /// See `intrusive_fifo`.
  T* pop() noexcept {
    T* const oldest = intrusive_fifo<T>::pop();
    if (oldest != nullptr) size_.set(size_.get() - 1);
    return oldest;
  }

private:
  port::plain<std::size_t> size_;
};

}  // namespace tactor::inline v0::internal
