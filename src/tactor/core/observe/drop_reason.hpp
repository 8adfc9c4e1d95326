// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

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

namespace internal {

/// What is known of a reason.
struct drop_reason_row {
  drop_reason reason;
  const char* name;
  std::string_view log_text;
};

inline constexpr std::string_view mailbox_was_full =
    "a message was not handled: the mailbox was full";
// Not `std::array` with its arguments deduced: g++ 12 puts such a constant into RAM.
inline constexpr drop_reason_row drop_reason_rows[] = {
    {drop_reason::no_such_actor, "no_such_actor", "a message was sent to an empty reference"},
    {drop_reason::stopped, "stopped", "a message was not handled: the actor has stopped"},
    {drop_reason::draining, "draining",
     "a message was not handled: the actor finishes its queue and stops"},
    {drop_reason::unhandled, "unhandled",
     "a message was not handled: the behaviour has no handler for it"},
    {drop_reason::middleware, "middleware", "a message was not handled: a middleware dropped it"},
    {drop_reason::full, "full", mailbox_was_full},
    {drop_reason::dropped_newest, "dropped_newest", mailbox_was_full},
    {drop_reason::dropped_oldest, "dropped_oldest", mailbox_was_full},
    {drop_reason::dead_letter_rule, "dead_letter_rule", mailbox_was_full},
    {drop_reason::wait_timed_out, "wait_timed_out",
     "a message was not handled: the mailbox was full for as long as its sender waits"},
    {drop_reason::would_deadlock, "would_deadlock",
     "a message was not handled: waiting for the mailbox would close a cycle of actors"},
    {drop_reason::sender_stopped, "sender_stopped",
     "a message was not handled: it waited in the outbox of an actor that stopped"},
    {drop_reason::system_stopping, "system_stopping",
     "a message was not handled: the system stops"},
    {drop_reason::no_memory, "no_memory", "a message was not sent: no memory"},
    {drop_reason::late_answer, "late_answer",
     "an answer came too late: its ask had timed out, or the asking actor had ended"},
    {drop_reason::injected, "injected", "a message was not handled"},
};
static_assert(
    [] {
      std::size_t index = 0;
      for (const drop_reason_row& each : drop_reason_rows)
        if (std::to_underlying(each.reason) != index++) return false;
      return index == drop_reasons;
    }(),
    "a row for each reason, in the order of their numbers");

}  // namespace internal

/// The reason in logs, dead letters and the label of `dead_letters_total`.
[[nodiscard]] constexpr const char* to_text(drop_reason reason) noexcept {
  const auto index = std::to_underlying(reason);
  return index < drop_reasons ? internal::drop_reason_rows[index].name : "unknown";
}
/// Returns what happened to such a message, in the words of the log. Requires: an enumerator.
[[nodiscard]] constexpr std::string_view log_text_of(drop_reason reason) noexcept {
  return internal::drop_reason_rows[std::to_underlying(reason)].log_text;
}
/// Returns true if the reason is expected, so that the log has it as info: a mailbox was told to
/// drop the message, or the system stops.
[[nodiscard]] constexpr bool is_routine(drop_reason reason) noexcept {
  return reason == drop_reason::dropped_oldest || reason == drop_reason::dropped_newest ||
         reason == drop_reason::system_stopping;
}
static_assert(std::string_view{to_text(drop_reason{drop_reasons - 1})} == "injected");
static_assert(std::string_view{to_text(drop_reason{drop_reasons})} == "unknown");

}  // namespace tactor::inline v0
