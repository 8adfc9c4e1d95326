// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0::internal {

/// Says why a sleep on a word ended.
enum class wait_result : std::uint8_t {
  woken,      // or the word had changed already, or spuriously: check again
  timed_out,  // `until_ns` has passed
  failed,     // the system call failed; the thread did not sleep
};

/// Sleeps on `word` while it is `seen`, at most until `until_ns` on the system's monotonic clock;
/// nothing: until woken. Context: any thread.
[[nodiscard]] wait_result wait_on_word(const port::atomic<std::uint32_t>& word, std::uint32_t seen,
                                       std::optional<std::uint64_t> until_ns) noexcept;

/// Wakes one thread that sleeps on `word`. A plain function, so that it fits a `timer_store`.
/// Requires: `word` was changed before. Context: any thread.
void wake_waiter(port::atomic<std::uint32_t>& word) noexcept;
/// Wakes all threads that sleep on `word`. Requires: as above. Context: any thread.
void wake_waiters(port::atomic<std::uint32_t>& word) noexcept;

}  // namespace tactor::inline v0::internal
