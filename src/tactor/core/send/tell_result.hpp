// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0 {

/// The result of a send. May be ignored: a message that is neither queued nor waits is a dead
/// letter.
enum class tell_result : std::uint8_t {
  ok,              // queued, waits in the sender's outbox, or dropped by the strategy `dead_letter`
  dropped,         // the mailbox is full, and its strategy drops new messages
  full,            // the mailbox is full, or there is no memory for the message
  closed,          // the actor has stopped or is stopping, or the reference is empty
  would_deadlock,  // waiting for capacity would never end
};

/// The result as text.
[[nodiscard]] constexpr const char* to_text(tell_result what) noexcept {
  switch (what) {
  case tell_result::ok:
    return "queued";
  case tell_result::dropped:
    return "dropped: the mailbox is full";
  case tell_result::full:
    return "refused: the mailbox is full, or there is no memory";
  case tell_result::closed:
    return "refused: the actor has stopped or is stopping, or the reference is empty";
  case tell_result::would_deadlock:
    return "refused: waiting for capacity would never end";
  }
  return "unknown";
}

/// A message that `try_tell` could not deliver, and why.
template <class Message>
struct refusal {
  tell_result why;
  Message message;
};

}  // namespace tactor::inline v0
