// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace tactor::inline v0::internal {

struct turn_times;

/// The times that a thread measures. A small board measures none: then this is empty, and code for
/// it is left out.
template <bool = sizeof(void*) == 8>
struct times_of_thread {
  turn_times* times = nullptr;  // null: none
};
template <>
struct times_of_thread<false> {
  static constexpr turn_times* times = nullptr;
};

}  // namespace tactor::inline v0::internal
