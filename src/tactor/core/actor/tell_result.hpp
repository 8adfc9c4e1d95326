// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0 {

/// What became of a message that was sent. May be ignored: whatever is not `ok` is a dead letter.
enum class tell_result : std::uint8_t {
  ok,              // queued
  dropped,         // the mailbox is full, and its rule drops what is new
  full,            // the mailbox is full, or there is no memory for the message
  closed,          // the actor is gone, or going
  would_deadlock,  // waiting for room would never end
};

/// A message that `try_tell` could not deliver, and why.
template <class Message>
struct refusal {
  tell_result why;
  Message message;
};

}  // namespace tactor::inline v0
