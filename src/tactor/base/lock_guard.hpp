// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <type_traits>

namespace tactor::inline v0::internal {

/// Locks a mutex for its lifetime. (`std::lock_guard` lives in a header that no target has.)
template <port::critical_section Mutex>
class lock_guard {
public:
  explicit lock_guard(Mutex& mutex) noexcept : mutex_(mutex) { mutex_.lock(); }
  ~lock_guard() { mutex_.unlock(); }
  lock_guard(const lock_guard&) = delete;
  lock_guard& operator=(const lock_guard&) = delete;

private:
  Mutex& mutex_;
};

/// On a board, a mutex that excludes interrupts: what was masked before stays in a register.
template <port::critical_section Mutex>
  requires(port::has_interrupts && std::is_same_v<Mutex, port::interrupt_mutex>)
class lock_guard<Mutex> {
public:
  explicit lock_guard(Mutex& /*mutex*/) noexcept {}
  lock_guard(const lock_guard&) = delete;
  lock_guard& operator=(const lock_guard&) = delete;
  ~lock_guard() = default;

private:
  const port::interrupts_masked section_;
};

}  // namespace tactor::inline v0::internal
