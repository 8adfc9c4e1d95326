// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactor::inline v0 {

/// Why a message was not handled. Every message that was accepted or refused, and is neither handled
/// nor given back to its sender, is counted under exactly one of these.
enum class drop_reason : std::uint8_t {
  // the receiver
  no_such_actor,  // the reference names nobody
  stopped,        // it is gone, or stopped before it came to this message
  draining,       // it finishes what is queued and takes nothing new
  unhandled,      // its behaviour did not want it
  middleware,     // a middleware of it said `drop`
  // its mailbox
  full,              // no room, and the rule is to refuse; also a full outbox or system reserve
  dropped_newest,    // no room, and the rule is to drop what comes
  dropped_oldest,    // it made room for a newer one, or for a more urgent one
  dead_letter_rule,  // no room, and the rule is to make it a dead letter
  wait_timed_out,    // no room, and the sender's thread has waited long enough
  would_deadlock,    // no room, and waiting would close a circle
  sender_stopped,    // it waited in the outbox of an actor that stopped
  // the rest
  system_stopping,  // the system takes no new messages
  no_memory,        // there was no envelope for it
  late_answer,      // an answer to a question that has ended
  injected,         // a simulation threw it away on purpose
};

/// How many reasons there are.
inline constexpr std::size_t drop_reasons = 16;

/// The reason as it stands in logs, dead letters and the label of `dead_letters_total`.
[[nodiscard]] constexpr std::string_view to_text(drop_reason reason) noexcept {
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
static_assert(to_text(drop_reason{drop_reasons - 1}) == "injected");
static_assert(to_text(drop_reason{drop_reasons}) == "unknown");

}  // namespace tactor::inline v0
