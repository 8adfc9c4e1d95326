// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/actor/delivery/actor_ref.hpp"
#include "tactor/core/message/envelope.hpp"

#include <cstdint>
#include <utility>

namespace tactor::inline v0 {

/// Why a question was not answered.
enum class ask_failure : std::uint8_t {
  timed_out,           // nobody answered in time
  target_terminated,   // the actor was gone, or stopped before it had answered
  target_failed,       // its handler failed
  refused,             // its mailbox was full, or there was no memory for the question
  no_reply,            // whoever should have answered later never will
  would_never_answer,  // a simulation has nothing left to run, so no answer can come
};

/// The same as text, with what to do about it.
[[nodiscard]] constexpr const char* to_text(ask_failure why) noexcept {
  switch (why) {
  case ask_failure::timed_out:
    return "nobody answered in time: ask again, or allow more time";
  case ask_failure::target_terminated:
    return "the actor that was asked is gone: ask another one";
  case ask_failure::target_failed:
    return "the handler of the question failed: see the log for why";
  case ask_failure::refused:
    return "the mailbox was full, or there was no memory: ask again later";
  case ask_failure::no_reply:
    return "the question was handled and nobody will answer: keep its reply_to until it is "
           "answered";
  case ask_failure::would_never_answer:
    return "the simulation has nothing left to run: nobody will answer";
  }
  return "unknown";
}

namespace internal {

/// The answer to a message with `using reply = void;`: it was handled.
struct acknowledged {};

/// What a question gets instead of an answer.
struct not_answered {
  ask_failure why;
};

/// Sends an answer to a question. Late ones become dead letters.
void send_answer(thread_record& here, origin reply_slot, envelope& answer) noexcept;
/// Tells a question that no answer will come. Nothing if `from` is none.
void refuse_answer(thread_record& here, origin from, ask_failure why) noexcept;

/// The same from whoever had the duty to answer `from` and drops it: on purpose, or because it stops.
inline void abandon_reply(thread_record& here, origin from) noexcept {
  refuse_answer(here, from, here.ending ? ask_failure::target_terminated : ask_failure::no_reply);
}

/// The way of both: straight into the mailbox of the actor that asked, past its limits, or into that
/// of the question itself, if it was asked outside of actors. Returns: false, and `answer` is still
/// the caller's, if the question has ended.
[[nodiscard]] bool route_answer(thread_record& here, cell& slot, origin reply_slot,
                                envelope& answer) noexcept;
/// Ends an answer that found no question in the mailbox it was routed to.
void end_late_answer(thread_record& here, envelope& answer) noexcept;

template <class Reply, class Value>
void answer_reply_slot(origin from, Value&& value) {
  thread_record& here = this_thread();
  if (envelope* const e = enclose<Reply>(here, std::forward<Value>(value))) {
    send_answer(here, from, *e);
  } else {
    refuse_answer(here, from, ask_failure::refused);
  }
}

/// Answers whoever asked with `e`, if anybody did.
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
