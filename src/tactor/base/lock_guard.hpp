// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <type_traits>

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

/// On a board, in place of a mutex that excludes interrupts: it has no memory, since what was masked before is in the guard.
struct masked_by_guard {};
template <>
class lock_guard<masked_by_guard> {
public:
  explicit lock_guard(masked_by_guard& /*mutex*/) noexcept {}
  lock_guard(const lock_guard&) = delete;
  lock_guard& operator=(const lock_guard&) = delete;
  ~lock_guard() = default;

private:
  const port::interrupts_masked section_;
};

/// A mutex that excludes interrupts, too, and is locked by guards only.
using guarded_mutex =
    std::conditional_t<port::has_interrupts, masked_by_guard, port::interrupt_mutex>;

}  // namespace tactor::inline v0::internal
