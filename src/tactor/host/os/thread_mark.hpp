// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

namespace tactor::inline v0::internal {

/// Marks the calling thread as working for `owner` until destroyed, so that the owner detects a
/// call that would wait for itself. Context: any thread; destroyed on the thread that created it,
/// after the marks that were created later.
class thread_mark {
public:
  explicit thread_mark(const void* owner) noexcept
      : owner_(owner), before_(std::exchange(newest, this)) {}
  ~thread_mark() { newest = before_; }
  thread_mark(const thread_mark&) = delete;
  thread_mark& operator=(const thread_mark&) = delete;

  /// Returns true if the calling thread works for `owner`, among others.
  [[nodiscard]] static bool stands_for(const void* owner) noexcept {
    const thread_mark* each = newest;
    while (each != nullptr && each->owner_ != owner)
      each = each->before_;
    return each != nullptr;
  }

private:
  static inline thread_local const thread_mark* newest = nullptr;

  const void* owner_;
  const thread_mark* before_;
};

}  // namespace tactor::inline v0::internal
