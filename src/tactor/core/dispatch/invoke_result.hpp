// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstdint>

namespace tactor::inline v0 {

/// Why an actor does not handle user messages for now.
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

/// What ends a suspension.
enum class resume_on : std::uint8_t {
  resume,    // nothing but a `resume`
  after,     // its time is over
  signal,    // a signal
  capacity,  // capacity in another mailbox
};

/// The result of one turn of a cell.
struct invoke_result {
  /// How it ended.
  enum class outcome : std::uint8_t {
    completed = 0,  // it became idle, or `ready_hint` says that there is more
    yielded = 1,    // it has more to do, after other cells. The only odd one: see has_more
    suspended = 2,  // it waits for a resume
    // A handler failed: the actor's own strategy has decided, and its parent applies the directive.
    // `message_invoker::last_failure` has why.
    failed = 4,
    stopped = 6,  // it has stopped
  };

  outcome how = outcome::completed;
  bool ready_hint = false;                                  // completed: make it ready again
  suspend_reason reason = suspend_reason::user_defined;     // suspended: the first of its reasons
  tactor::resume_on resume_on = tactor::resume_on::resume;  // suspended: what ends that reason
  std::uint32_t messages = 0;                               // user messages that left the mailbox
};
static_assert(sizeof(invoke_result) == 8, "it is returned in one register, after every turn");

/// Whether a cell with this result has to be queued again.
[[nodiscard]] constexpr bool has_more(const invoke_result& result) noexcept {
  // `yielded`, or `completed` with a hint: nearly always one test of the whole register, which is
  // made after every turn.
  const auto bits = std::bit_cast<std::uint64_t>(result);
  return (bits & 0x0101U) != 0 && (bits & 0xFEU) == 0;
}
/// How many messages the turn handled, read from the register that holds the result.
[[nodiscard]] constexpr std::uint64_t messages_of(const invoke_result& result) noexcept {
  return std::bit_cast<std::uint64_t>(result) >> 32U;
}
static_assert(has_more({.how = invoke_result::outcome::yielded}));
static_assert(has_more({.how = invoke_result::outcome::completed, .ready_hint = true}));
static_assert(!has_more({.how = invoke_result::outcome::completed}));
static_assert(!has_more({.how = invoke_result::outcome::suspended, .ready_hint = true}));
static_assert(messages_of({.ready_hint = true, .messages = 7}) == 7);

/// The state of an actor.
enum class actor_state : std::uint8_t { running, suspended, stopping, stopped };

}  // namespace tactor::inline v0
