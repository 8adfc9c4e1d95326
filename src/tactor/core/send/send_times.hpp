// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

// One message of many carries the time at which it was sent, at the end of its block. Latencies and
// the age of the messages that wait are measured with it.

/// May give `e`, which is sent to `to`, the time. Requires: `fast_limits` of the thread is not 0.
void note_send_time(thread_record& here, cell& to, envelope& e) noexcept;
/// Takes the time of `e`, which does not wait for `to` any more. Requires: `e` has a time.
/// Returns: the time.
std::uint64_t take_send_time(cell& to, envelope& e) noexcept;

}  // namespace tactor::inline v0::internal
