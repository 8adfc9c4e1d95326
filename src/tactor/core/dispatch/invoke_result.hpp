// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/dispatch/suspend_reason.hpp"

#include <cstdint>

namespace tactor::inline v0 {

/// The result of one turn of a cell.
struct invoke_result {
  /// Names how the turn ended.
  enum class outcome : std::uint8_t {
    completed,  // it became idle, or `ready_hint` says that there is more
    yielded,    // it has more to do, after other cells
    suspended,  // it waits for a resume
    // A handler failed: the actor's own strategy has decided, and its parent applies the directive.
    // `last_failure` says why.
    failed,
    stopped,  // it has stopped
  };

  outcome how = outcome::completed;
  bool ready_hint = false;                                  // completed: make it ready again
  suspend_reason reason = suspend_reason::user_defined;     // suspended: the first of its reasons
  tactor::resume_on resume_on = tactor::resume_on::resume;  // suspended: what ends that reason
  std::uint32_t messages = 0;                               // user messages that left the mailbox
};

/// Tells whether a cell with this result has to be queued again.
[[nodiscard]] constexpr bool has_more(const invoke_result& result) noexcept {
  using enum invoke_result::outcome;
  return result.how == yielded || (result.how == completed && result.ready_hint);
}

}  // namespace tactor::inline v0
