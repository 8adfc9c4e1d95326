// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0::internal {

/// What a system message is about: its `envelope::detail`. All but the first are the runtime's own
/// and go past the limits of a mailbox, so that none of them is ever refused by one that is open.
enum class system_message_kind : std::uint8_t {
  message,             // for the actor itself
  suspension_command,  // suspend, resume, signal
  child_failed,        // from a child
  watch,               // somebody wants to know when this actor ends
  unwatch,             // not any more
  terminated,          // an actor that was watched has ended
  capacity_requested,  // somebody waits for room in this mailbox
  capacity_available,  // there is room where this actor waits for it
};

}  // namespace tactor::inline v0::internal
