// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

namespace tactor::inline v0::internal {

/// Locks a mutex for its lifetime. (`std::lock_guard` lives in a header that no target has.)
template <class Mutex>
class lock_guard {
  static_assert(port::critical_section<Mutex>);

public:
  explicit lock_guard(Mutex& mutex) noexcept : mutex_(mutex) { mutex_.lock(); }
  ~lock_guard() { mutex_.unlock(); }
  lock_guard(const lock_guard&) = delete;
  lock_guard& operator=(const lock_guard&) = delete;

private:
  Mutex& mutex_;
};

}  // namespace tactor::inline v0::internal
