// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0 {

/// Why an actor is suspended: it does not handle user messages for now.
enum class suspend_reason : std::uint8_t {
  backpressure,    // the mailbox of a receiver is full; set by the runtime only
  await_external,  // waits for an external event
  rate_limit,      // it has handled enough messages for a while
  user_defined,
  failure,  // the actor or its parent failed, and the directive is pending; set by the runtime only
};

/// The name of the reason.
[[nodiscard]] constexpr const char* to_text(suspend_reason why) noexcept {
  switch (why) {
  case suspend_reason::backpressure:
    return "backpressure";
  case suspend_reason::await_external:
    return "await_external";
  case suspend_reason::rate_limit:
    return "rate_limit";
  case suspend_reason::user_defined:
    return "user_defined";
  case suspend_reason::failure:
    return "failure";
  }
  return "unknown";
}

/// Names the event that ends a suspension.
enum class resume_on : std::uint8_t {
  resume,    // nothing but a `resume`
  after,     // its time is over
  signal,    // a signal
  capacity,  // capacity in another mailbox
};

}  // namespace tactor::inline v0
