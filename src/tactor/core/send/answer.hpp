// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/send/actor_ref.hpp"

#include <cstdint>
#include <utility>

namespace tactor::inline v0 {

/// The reason why an ask got no answer.
enum class ask_failure : std::uint8_t {
  timed_out,          // no answer came in time
  target_terminated,  // the actor had stopped, stopped before it answered, or is a router without a
                      // worker
  target_failed,      // its handler failed
  refused,            // its mailbox was full, a middleware dropped it, there was no memory, or the
                      // timeout was not longer than zero
  no_reply,           // no handler for it, cleared from the stash, or its `reply_to` was dropped
  would_deadlock,     // a `task` awaited an answer of its own actor, which handles nothing
                      // meanwhile, or actors awaited each other's answers in a cycle
  would_never_answer,  // nothing is left to run that could answer, or the system has stopped
};

/// Says what happened and what to do, in one sentence.
[[nodiscard]] constexpr const char* to_text(ask_failure why) noexcept {
  switch (why) {
  case ask_failure::timed_out:
    return "no answer came in time: ask again, or with a longer timeout, unless the actor itself "
           "waits for the asker";
  case ask_failure::target_terminated:
    return "the actor has stopped, or is a router without a worker: ask another actor, or give it "
           "a worker";
  case ask_failure::target_failed:
    return "the handler of the message failed: see the log for the reason";
  case ask_failure::refused:
    return "the mailbox was full, a middleware dropped the message, there was no memory (a board: "
           "no place in `asks`), or the timeout was not longer than zero: ask again later, with a "
           "timeout";
  case ask_failure::no_reply:
    return "the actor did not answer: it has no handler for the message, cleared its stash, or "
           "dropped its reply_to";
  case ask_failure::would_deadlock:
    return "a task awaited an answer of its own actor, or actors awaited each other's answers in a "
           "cycle (see the log): answer without asking, or make a handler a reentrant_task";
  case ask_failure::would_never_answer:
    return "nothing is left to run that could answer, or the system has stopped: let an actor "
           "answer, or ask before the shutdown";
  }
  return "unknown";
}

namespace internal {

/// The answer to a message with `using reply = void;`: it was handled.
struct acknowledged {};

/// A reply slot gets this instead of an answer.
struct not_answered {
  ask_failure why;
};

/// Sends an answer to a reply slot. Late answers become dead letters.
void send_answer(thread_record& here, origin reply_slot, envelope& answer) noexcept;
/// Tells a reply slot that no answer will come. Does nothing if `from` is no reply slot.
inline void refuse_answer(thread_record& here, origin from, ask_failure why) noexcept {
  if (from.what() == origin::kind::reply_slot) program_features().asks->refuse(here, from, why);
}
/// Tells the reply slot `asker` that no answer will come, unless it has one.
void refuse_asker(thread_record& here, origin asker, ask_failure why) noexcept;

/// Does so. Returns: false if the ask has ended, has an answer, or if there is no memory.
[[nodiscard]] bool try_refuse_asker(thread_record& here, origin asker, ask_failure why) noexcept;

/// There is no memory for an answer: it is a dead letter, and the ask is refused.
void answer_without_memory(thread_record& here, origin reply_slot,
                           const message_operations& operations) noexcept;

/// There is no memory for an ask: its message is a dead letter. Returns: why there will be no
/// answer.
[[nodiscard]] ask_failure dead_ask_no_memory(thread_record& here, cell* to,
                                             std::uint32_t generation,
                                             const message_operations& operations) noexcept;

/// The obligation to answer `from` is dropped: deliberately, or because the actor stops.
inline void abandon_reply(thread_record& here, origin from) noexcept {
  refuse_answer(here, from, here.ending ? ask_failure::target_terminated : ask_failure::no_reply);
}

/// Claims the ask, and hands the answer to its completer: it goes into the mailbox of the actor
/// that asked, past its limits, or stays in the slot for a thread. Returns: false, and the caller
/// keeps `answer`, if the ask has ended or has an answer.
[[nodiscard]] bool route_answer(thread_record& here, origin reply_slot, envelope& answer) noexcept;
/// Disposes of an answer that had claimed its ask, and does not reach the asker: it ended before it
/// took the answer out of its mailbox.
void end_late_answer(thread_record& here, envelope& answer) noexcept;

template <class Reply, class Value>
void answer_reply_slot(origin from, Value&& value) {
  thread_record& here = this_thread();
  if (envelope* const e = enclose<Reply>(here, std::forward<Value>(value))) {
    send_answer(here, from, *e);
  } else {
    answer_without_memory(here, from, operations_of<Reply>);
  }
}

/// Answers the ask that `e` belongs to, if any.
template <class Reply, class Value>
void answer(envelope& e, Value&& value) {
  if (e.from.what() != origin::kind::reply_slot) return;
  answer_reply_slot<Reply>(e.from, std::forward<Value>(value));
}
inline void acknowledge(envelope& e) {
  if (e.from.what() == origin::kind::reply_slot)
    answer_reply_slot<acknowledged>(e.from, acknowledged{});
}

}  // namespace internal
}  // namespace tactor::inline v0
