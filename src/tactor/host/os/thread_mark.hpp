// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

namespace tactor::inline v0::internal {

/// Says, as long as it lives, that its thread works for `owner`: so that the owner notices when it
/// is asked to wait for itself. Context: any thread; goes on the thread it came on.
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
