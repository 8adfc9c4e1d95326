// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

namespace tactor::inline v0::internal {

/// Marks the calling thread as working for `owner` until destroyed, so that the owner detects a call
/// that would wait for itself. Context: any thread; destroyed on the thread that created it.
class thread_mark {
public:
  explicit thread_mark(const void* owner) noexcept : before_(std::exchange(current, owner)) {}
  ~thread_mark() { current = before_; }
  thread_mark(const thread_mark&) = delete;
  thread_mark& operator=(const thread_mark&) = delete;

  /// Whether the calling thread works for `owner`.
  [[nodiscard]] static bool stands_for(const void* owner) noexcept { return current == owner; }

private:
  static inline thread_local const void* current = nullptr;

  const void* before_;
};

}  // namespace tactor::inline v0::internal
