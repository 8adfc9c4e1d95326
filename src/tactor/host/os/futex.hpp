// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0::internal {

/// Why a sleep on a word ended.
enum class futex_result : std::uint8_t {
  woken,      // or the word had changed already, or for no reason: look again
  timed_out,  // the moment has come
  failed,     // the system cannot do it; nobody has slept
};

/// Sleeps on `word` while it is `seen`, at most until `until_ns` on the system's monotonic clock;
/// nothing: until woken. Context: any thread.
[[nodiscard]] futex_result futex_wait(const port::atomic<std::uint32_t>& word, std::uint32_t seen,
                                      std::optional<std::uint64_t> until_ns) noexcept;

/// Wakes one that sleeps on `word`, which has been changed before. A plain function: it fits where a
/// `timer_store` wants one. Context: any thread.
void futex_wake(port::atomic<std::uint32_t>& word) noexcept;

}  // namespace tactor::inline v0::internal
