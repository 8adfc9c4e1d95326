// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactor::inline v0 {

/// Says why a message was not handled. Every message that is neither handled nor returned to its
/// sender is counted under exactly one of these.
enum class drop_reason : std::uint8_t {
  // the receiver
  no_such_actor,  // the reference names no actor
  stopped,        // it has stopped, or stopped before it handled this message
  draining,       // it handles what is queued and accepts nothing new
  unhandled,      // its behaviour has no handler for it
  middleware,     // one of its middlewares returned `drop`
  // its mailbox
  full,              // full, and the strategy is `reject`; also a full outbox or system reserve
  dropped_newest,    // full, and the strategy is `drop_newest`
  dropped_oldest,    // evicted for a newer or a more urgent message
  dead_letter_rule,  // full, and the strategy is `dead_letter`
  wait_timed_out,    // full, and the sending thread's `push_timeout` is over
  would_deadlock,    // full, and waiting would close a cycle of waiting actors
  sender_stopped,    // it waited in the outbox of an actor that stopped
  // the rest
  system_stopping,  // the system takes no new messages
  no_memory,        // there was no envelope for it, or none of what its ask needs
  late_answer,      // an answer that came after its ask had ended
  injected,         // a simulation dropped it on purpose
};

/// The number of reasons.
inline constexpr std::size_t drop_reasons = 16;

/// The reason in logs, dead letters and the label of `dead_letters_total`.
[[nodiscard]] constexpr const char* to_text(drop_reason reason) noexcept {
  switch (reason) {
  case drop_reason::no_such_actor:
    return "no_such_actor";
  case drop_reason::stopped:
    return "stopped";
  case drop_reason::draining:
    return "draining";
  case drop_reason::unhandled:
    return "unhandled";
  case drop_reason::middleware:
    return "middleware";
  case drop_reason::full:
    return "full";
  case drop_reason::dropped_newest:
    return "dropped_newest";
  case drop_reason::dropped_oldest:
    return "dropped_oldest";
  case drop_reason::dead_letter_rule:
    return "dead_letter_rule";
  case drop_reason::wait_timed_out:
    return "wait_timed_out";
  case drop_reason::would_deadlock:
    return "would_deadlock";
  case drop_reason::sender_stopped:
    return "sender_stopped";
  case drop_reason::system_stopping:
    return "system_stopping";
  case drop_reason::no_memory:
    return "no_memory";
  case drop_reason::late_answer:
    return "late_answer";
  case drop_reason::injected:
    return "injected";
  }
  return "unknown";
}
/// Returns what happened to such a message, in the words of the log.
[[nodiscard]] constexpr std::string_view log_text_of(drop_reason reason) noexcept {
  switch (reason) {
  case drop_reason::no_such_actor:
    return "a message was sent to an empty reference";
  case drop_reason::stopped:
    return "a message was not handled: the actor has stopped";
  case drop_reason::draining:
    return "a message was not handled: the actor finishes its queue and stops";
  case drop_reason::unhandled:
    return "a message was not handled: the behaviour has no handler for it";
  case drop_reason::full:
  case drop_reason::dropped_newest:
  case drop_reason::dropped_oldest:
  case drop_reason::dead_letter_rule:
    return "a message was not handled: the mailbox was full";
  case drop_reason::wait_timed_out:
    return "a message was not handled: the mailbox was full for as long as its sender waits";
  case drop_reason::system_stopping:
    return "a message was not handled: the system stops";
  case drop_reason::no_memory:
    return "a message was not sent: no memory";
  case drop_reason::late_answer:
    return "an answer came too late: its ask had timed out, or the asking actor had ended";
  case drop_reason::would_deadlock:
    return "a message was not handled: waiting for the mailbox would close a cycle of actors";
  case drop_reason::sender_stopped:
    return "a message was not handled: it waited in the outbox of an actor that stopped";
  case drop_reason::middleware:
    return "a message was not handled: a middleware dropped it";
  case drop_reason::injected:
    break;
  }
  return "a message was not handled";
}

/// Returns true if the reason is expected, so that the log has it as info: a mailbox was told to
/// drop the message, or the system stops.
[[nodiscard]] constexpr bool is_routine(drop_reason reason) noexcept {
  return reason == drop_reason::dropped_oldest || reason == drop_reason::dropped_newest ||
         reason == drop_reason::system_stopping;
}

/// Returns true if such a message was never accepted, so that it is not counted as sent. Of the
/// other reasons, `stopped`, `system_stopping` and `late_answer` are used for messages that were
/// accepted and for messages that were not.
[[nodiscard]] constexpr bool is_refusal(drop_reason reason) noexcept {
  switch (reason) {
  case drop_reason::no_such_actor:
  case drop_reason::draining:
  case drop_reason::full:
  case drop_reason::dropped_newest:
  case drop_reason::dead_letter_rule:
  case drop_reason::wait_timed_out:
  case drop_reason::would_deadlock:
  case drop_reason::sender_stopped:
  case drop_reason::no_memory:
  case drop_reason::injected:
    return true;
  case drop_reason::stopped:
  case drop_reason::unhandled:
  case drop_reason::middleware:
  case drop_reason::dropped_oldest:
  case drop_reason::system_stopping:
  case drop_reason::late_answer:
    break;
  }
  return false;
}
static_assert(std::string_view{to_text(drop_reason{drop_reasons - 1})} == "injected");
static_assert(std::string_view{to_text(drop_reason{drop_reasons})} == "unknown");

}  // namespace tactor::inline v0
