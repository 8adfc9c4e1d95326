// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

/// Lets a thread wait that runs no actors. The host provides it; a board has no such threads.
struct thread_waiting {
  /// Sleeps while `word` is `seen`, at most until `until_ns`; may wake up spuriously.
  /// Returns: false if the time is over.
  bool (*sleep)(const port::atomic<std::uint32_t>& word, std::uint32_t seen,
                std::uint64_t until_ns) noexcept;
  /// Wakes the threads that sleep on `word`.
  void (*wake)(port::atomic<std::uint32_t>& word) noexcept;
  std::uint64_t (*now_ns)() noexcept;
  /// Lets other threads run, if there are any that wait for a processor.
  void (*give_way)() noexcept;
};

}  // namespace tactor::inline v0::internal
