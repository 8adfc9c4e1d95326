// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0::internal {

// One message of many has the time at which it was sent, at the end of its block: the latency of
// messages, and the age of those that wait.

/// May give `e`, which is sent to `to`, the time. Requires: `fast_limits` of the thread is not 0.
void note_send_time(thread_record& here, cell& to, envelope& e) noexcept;
/// `e`, which has a time, does not wait for `to` any more. Returns: its time.
std::uint64_t take_send_time(const cell& to, envelope& e) noexcept;
/// How long the oldest message of an actor waits, at least: one in some hundred has a time.
/// Nothing: not known, or there is none. Context: any thread.
[[nodiscard]] std::optional<std::uint64_t> oldest_wait_ns(const cell& of, std::uint32_t generation,
                                                          std::uint64_t now_ns) noexcept;

}  // namespace tactor::inline v0::internal
