// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {

template <class T>
class mpsc_queue;
template <class T>
struct mpsc_link;

/// Base class of an element of an `mpsc_queue<T>`. An element is in at most one queue at a time.
template <class T>
class mpsc_queue_node {
  friend mpsc_link<T>;
  port::plain<T*> next_;
};

/// The link of an element: that of its node, unless a specialisation says where else it is. Before
/// the element is taken: the next older one; afterwards: the next newer.
template <class T>
struct mpsc_link {
  [[nodiscard]] static T* get(const T& of) noexcept {
    const mpsc_queue_node<T>& node = of;
    return node.next_.get();
  }
  static void set(T& of, T* next) noexcept {
    mpsc_queue_node<T>& node = of;
    node.next_.set(next);
  }
};

/// Tells a producer what it has to do after a push.
enum class [[nodiscard]] after_push : std::uint8_t { nothing, wake_consumer };

/// Elements taken from an `mpsc_queue`, oldest first; its owner may add more. Context: owner only;
/// not thread-safe.
template <class T>
class mpsc_chain {
public:
  /// Adds an element at the end. Requires: `fresh` is in no queue or chain.
  void push(T& fresh) noexcept {
    mpsc_link<T>::set(fresh, nullptr);
    if (oldest_ == nullptr) {
      oldest_ = &fresh;
    } else {
      mpsc_link<T>::set(*newest_, &fresh);
    }
    newest_ = &fresh;
  }
  /// Removes and returns the oldest element, or returns null. It may be pushed again at once.
  [[nodiscard]] T* pop() noexcept {
    T* const oldest = oldest_;
    if (oldest != nullptr) oldest_ = mpsc_link<T>::get(*oldest);
    return oldest;
  }
  [[nodiscard]] bool empty() const noexcept { return oldest_ == nullptr; }

private:
  friend mpsc_queue<T>;

  T* oldest_ = nullptr;
  T* newest_ = nullptr;  // while there is one
};

/// A queue from many producers to one consumer, which takes all elements at once. It owns nothing.
///
/// Thread safety: `push` from any thread or interrupt, lock-free; `take_all` from one consumer at a
/// time.
///
/// A stack that the consumer reverses, rather than a linked queue: taking the whole chain costs one
/// atomic operation for any number of elements, a producer that is interrupted half-way hides
/// nothing from the consumer, and because only the whole chain is ever taken, a reused element
/// cannot be mistaken for its earlier self (no ABA).
///
/// A consumer that is about to sleep says so in a word of its own (seq_cst), then calls `empty`
/// again; a producer pushes, then reads that word (seq_cst): one of the two sees the other.
///
/// inv 1  From `newest_` on, the links lead through all elements that were pushed and not taken,
///        newest to oldest.
/// inv 2  The order of the successful compare-exchanges is the order of the queue.
template <class T>
class mpsc_queue {
public:
  constexpr mpsc_queue() noexcept = default;

  /// Requires: `fresh` is in no queue and stays alive until it has been taken.
  /// Returns: `wake_consumer` if this push found the queue empty.
  after_push push(T& fresh) noexcept {
    T* newest = newest_.load(relaxed);  // relaxed: only compared, never dereferenced
    do {
      mpsc_link<T>::set(fresh, newest);
      // seq_cst: ties the queue to the word in which its consumer says that it sleeps
    } while (!newest_.compare_exchange(newest, &fresh, seq_cst));  // pairs: mpsc.newest
    return newest == nullptr ? after_push::wake_consumer : after_push::nothing;
  }

  /// Takes all elements, in the order in which they were pushed. Context: the consumer.
  [[nodiscard]] mpsc_chain<T> take_all() noexcept {
    return take_all([](const T&) {});
  }
  /// Takes all elements as above, and calls `visit` for each of them, newest first.
  template <class Visit>
  [[nodiscard]] mpsc_chain<T> take_all(Visit visit) noexcept {
    mpsc_chain<T> taken;
    if (empty()) return taken;                       // an idle poll needs no exchange
    T* newest = newest_.exchange(nullptr, acquire);  // pairs: mpsc.newest
    while (newest != nullptr) {
      T* const older = mpsc_link<T>::get(*newest);
      mpsc_link<T>::set(*newest, taken.oldest_);
      if (taken.oldest_ == nullptr) taken.newest_ = newest;
      taken.oldest_ = newest;
      visit(std::as_const(*newest));
      newest = older;
    }
    return taken;
  }

  /// Tells whether there was nothing to take at that moment. Context: any.
  [[nodiscard]] bool empty() const noexcept {
    // seq_cst: ties the queue to the word in which its consumer says that it sleeps
    return newest_.load(seq_cst) == nullptr;  // pairs: mpsc.newest
  }

private:
  // Written by: producers (push), the consumer (take all). Read by: producers, the consumer.
  // Publishes: the elements pushed and their links.
  port::atomic<T*> newest_;
};

}  // namespace tactor::inline v0::internal
