// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/answer.hpp"

#include "tactor/core/cell/ask_slot.hpp"
#include "tactor/core/cell/ask_word.hpp"
#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_waiting.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/mailbox.hpp"
#include "tactor/core/send/dead_letters.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/send.hpp"

#include <utility>

namespace tactor::inline v0::internal {

namespace {

// The completers: they hand an answer over to its asker. Each requires that the caller has claimed
// the ask. Returns: false if the asker does not want the answer; then the caller keeps it.

/// The time by the clock of a thread's ask; `never_ns`: it is not needed, or not known.
std::uint64_t time_of(thread_record& here, const ask_slot& slot,
                      const ask_of_thread& asked) noexcept {
  std::uint64_t now_ns = ask_of_thread::never_ns;
  if (asked.until_ns == ask_of_thread::never_ns) return now_ns;
  if (asked.by == ask_of_thread::clock::of_threads) {
    const thread_waiting* const how = program_memory.waiting();
    return how == nullptr ? now_ns : how->now_ns();
  }
  tell_services(here, slot.gate.load(relaxed),  // relaxed: published with the ask
                [&](system_services& of) { now_ns = of.now_ns(); });
  return now_ns;
}

/// For a thread, which may sleep: the answer stays in the slot. It is not counted, because no actor
/// handles it.
[[gnu::noinline]] bool complete_thread(thread_record& here, ask_slot& slot,
                                       envelope& answer) noexcept {
  ask_of_thread& asked = slot.as<ask_of_thread>();
  asked.answered_ns = time_of(here, slot, asked);
  const bool is_known = asked.answered_ns != ask_of_thread::never_ns;
  const bool in_time = !is_known || asked.answered_ns <= asked.until_ns;
  if (in_time) asked.answer = &answer;
  const ask_word before = slot.settle();
  if (before.settled().is_ended()) {
    program_memory.asks.give_back(here.asks, slot);
    return false;
  }
  // The slot may have another asker by now, which looks and sleeps again.
  const thread_waiting* const how = before.has_sleeper() ? program_memory.waiting() : nullptr;
  if (how != nullptr) how->wake(slot.word);
  return in_time;
}

/// Ends the claim: the answer does not reach the asker.
void drop_claim(thread_record& here, ask_slot& slot) noexcept {
  if (slot.settle().settled().is_ended()) program_memory.asks.give_back(here.asks, slot);
}

/// For a coroutine of `asker`, which is suspended: the answer goes among the system messages.
[[gnu::noinline]] bool complete_coroutine(thread_record& here, cell& asker, origin reply_slot,
                                          envelope& answer) noexcept {
  answer.kind = envelope_kind::system;
  answer.set_state(std::to_underlying(system_message_kind::answer));
  answer.generation = asker.generation();  // the actor may have ended: the receiver checks
  answer.from = reply_slot;
  const push_result pushed = asker.box.push_system(answer);
  if (pushed == push_result::closed) return false;
  count_send(here, asker);
  if (pushed == push_result::make_ready) make_ready(here, asker);
  return true;
}

/// For a continuation of `asker`: the answer goes among the messages, past the limits.
[[gnu::always_inline]] inline bool complete_continuation(thread_record& here, cell& asker,
                                                         origin reply_slot,
                                                         envelope& answer) noexcept {
  answer.kind = envelope_kind::answer;
  answer.from = reply_slot;
  const push_result pushed = asker.box.push(answer);
  if (pushed == push_result::closed) [[unlikely]]
    return false;
  count_send(here, asker);
  if (pushed == push_result::make_ready) make_ready(here, asker);
  return true;
}

/// Matches an answer with its ask, and hands it over.
[[gnu::always_inline]] inline bool try_route(thread_record& here, origin reply_slot,
                                             envelope& answer) noexcept {
  ask_slot& slot = program_memory.asks[reply_slot.index()];
  bool handed_over = false;
  switch (slot.claim(reply_slot.generation)) {
  case ask_word::phase::open_to_continuation:
    handed_over = complete_continuation(here, slot.answered_actor(), reply_slot, answer);
    break;
  case ask_word::phase::open_to_coroutine:
    handed_over = complete_coroutine(here, slot.answered_actor(), reply_slot, answer);
    break;
  case ask_word::phase::open_to_thread:
    return complete_thread(here, slot, answer);
  default:
    return false;
  }
  if (!handed_over) [[unlikely]]
    drop_claim(here, slot);
  return handed_over;
}

/// An answer whose ask has ended is a dead letter, of the system that asked.
[[gnu::noinline]] void end_as_late(thread_record& here, system_gate* gate, origin sender,
                                   envelope& answer, acceptance by_mailbox) noexcept {
  answer.kind = envelope_kind::message;
  report_lost(here, gate,
              {.why = drop_reason::late_answer,
               .by_mailbox = by_mailbox,
               .operations = *answer.operations,
               .payload = payload_of(answer),
               .target = {},
               .sender = sender});
  discard_lost(here, answer);
}

/// The system in which the slot was used last.
system_gate* gate_of(origin reply_slot) noexcept {
  // relaxed: type-stable; another ask may have the slot by now
  return program_memory.asks[reply_slot.index()].gate.load(relaxed);
}

}  // namespace

bool route_answer(thread_record& here, origin reply_slot, envelope& answer) noexcept {
  return try_route(here, reply_slot, answer);
}

void send_answer(thread_record& here, origin reply_slot, envelope& answer) noexcept {
  answer.from = here.sender;
  if (!try_route(here, reply_slot, answer)) [[unlikely]]
    end_as_late(here, gate_of(reply_slot), here.sender, answer, acceptance::refused);
}

bool try_refuse_asker(thread_record& here, origin asker, ask_failure why) noexcept {
  if (!program_memory.asks[asker.index()].peek().is_open_for(asker.generation)) return false;
  envelope* const e = enclose<not_answered>(here, not_answered{.why = why});
  if (e == nullptr) return false;  // the ask will time out
  e->from = {};
  if (route_answer(here, asker, *e)) return true;
  discard_envelope(here, *e);
  return false;
}

void refuse_asker(thread_record& here, origin asker, ask_failure why) noexcept {
  (void)try_refuse_asker(here, asker, why);
}

void answer_without_memory(thread_record& here, origin reply_slot,
                           const message_operations& operations) noexcept {
  report_lost(here, gate_of(reply_slot),
              {.why = drop_reason::no_memory,
               .by_mailbox = acceptance::refused,
               .operations = operations,
               .payload = nullptr,
               .target = {},
               .sender = here.sender});
  refuse_answer(here, reply_slot, ask_failure::refused);
}

ask_failure dead_ask_no_memory(thread_record& here, cell* to, std::uint32_t generation,
                               const message_operations& operations) noexcept {
  const bool closed =
      dead_letter_no_memory(here, to, generation, operations) == tell_result::closed;
  return closed ? ask_failure::target_terminated : ask_failure::refused;
}

void end_late_answer(thread_record& here, envelope& answer) noexcept {
  const origin reply_slot = answer.from;
  if (reply_slot.what() != origin::kind::reply_slot) return discard_envelope(here, answer);
  system_gate* const gate = gate_of(reply_slot);
  drop_claim(here, program_memory.asks[reply_slot.index()]);
  if (answer.operations == &operations_of<not_answered>) {
    --here.unhandled;  // nobody's message, so no dead letter: it counts as handled
    return discard_envelope(here, answer);
  }
  end_as_late(here, gate, {}, answer, acceptance::accepted);  // the sender is no longer known
}

}  // namespace tactor::inline v0::internal
