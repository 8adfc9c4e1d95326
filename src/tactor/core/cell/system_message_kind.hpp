// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0::internal {

/// The kind of a system message: its `envelope::detail`. All but the first are owned by the runtime
/// and exempt from the limits of a mailbox, so an open mailbox never refuses them.
enum class system_message_kind : std::uint8_t {
  message,             // for the actor's handler, sent as a system message
  suspension_command,  // suspend, resume, signal
  child_failed,        // from a child
  watch,               // a watcher is to be notified when this actor ends
  unwatch,             // it no longer does
  terminated,          // a watched actor has ended
  capacity_available,  // a mailbox this actor waits for has capacity
  answer,              // to an ask that a coroutine awaits; `from` is its reply slot
};

}  // namespace tactor::inline v0::internal
