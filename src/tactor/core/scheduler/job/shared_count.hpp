// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

/// A number that threads increment and decrement within bounds. It orders nothing else.
using shared_count = port::atomic<std::uintptr_t>;

/// Adds to a number that no other thread changes: without a locked instruction.
inline void add_alone(shared_count& count, std::uintptr_t more) noexcept {
  count.store(count.load(relaxed) + more, relaxed);  // relaxed: a number
}

/// Decrements `count` unless it is zero.
inline bool take_one(shared_count& count) noexcept {
  std::uintptr_t before = count.load(relaxed);  // relaxed: a number
  while (before > 0) {
    if (count.compare_exchange(before, before - 1, relaxed)) return true;  // relaxed: a number
  }
  return false;
}

}  // namespace tactor::inline v0::internal
