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

/// The same as text.
[[nodiscard]] constexpr const char* to_text(tell_result what) noexcept {
  switch (what) {
  case tell_result::ok:
    return "queued";
  case tell_result::dropped:
    return "dropped: the mailbox is full";
  case tell_result::full:
    return "refused: the mailbox is full, or there is no memory";
  case tell_result::closed:
    return "refused: the actor is gone, or going";
  case tell_result::would_deadlock:
    return "refused: waiting for room would never end";
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
