// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/message/page_source.hpp"
#include "tactor/port/port.hpp"

#include <new>  // IWYU pragma: keep (placement new)

namespace tactor::inline v0::internal {

/// Objects that are made once and never destroyed, only reused: a stale pointer always leads to an
/// object of type `T`. For objects that are taken seldom. `T` has a member `port::cell<T*> next`.
/// Thread safety: any thread; a lock.
template <class T>
class stable_store {
public:
  /// Requires: `pages` outlives the store.
  constexpr explicit stable_store(page_source& pages) noexcept : pages_(&pages) {}
  stable_store(const stable_store&) = delete;
  stable_store& operator=(const stable_store&) = delete;
  ~stable_store() = default;

  /// Returns: null if there is no memory for another object.
  [[nodiscard]] T* take() noexcept {
    const lock_guard guard{mutex_};
    if (T* const taken = free_) {
      free_ = taken->next.get();
      return taken;
    }
    void* const storage = pages_->allocate(sizeof(T), alignof(T));
    return storage == nullptr ? nullptr : ::new (storage) T;
  }
  /// Takes an object back. Requires: it came from here, and is no longer used.
  void give_back(T& left) noexcept {
    const lock_guard guard{mutex_};
    left.next.set(free_);
    free_ = &left;
  }

private:
  page_source* pages_;  // constant
  [[no_unique_address]] port::mutex mutex_;
  // protected by mutex_
  T* free_ = nullptr;
};

}  // namespace tactor::inline v0::internal
