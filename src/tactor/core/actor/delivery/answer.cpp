// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/delivery/answer.hpp"

#include "tactor/core/actor/cell/ask_deadline.hpp"
#include "tactor/core/actor/cell/system_gate.hpp"
#include "tactor/core/actor/cell/system_message_kind.hpp"
#include "tactor/core/actor/cell/system_services.hpp"
#include "tactor/core/actor/cell/thread_waiting.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/delivery/lost_messages.hpp"
#include "tactor/core/actor/delivery/noted_sends.hpp"
#include "tactor/core/actor/runtime/runtime_memory.hpp"
#include "tactor/core/mailbox/mailbox.hpp"
#include "tactor/core/message/envelope.hpp"

#include <utility>

namespace tactor::inline v0::internal {

namespace {

/// A coroutine of `asker` awaits the answer.
[[gnu::noinline]] bool send_awaited(thread_record& here, cell& asker, origin reply_slot,
                                    envelope& answer) noexcept {
  answer.kind = envelope_kind::system;
  answer.detail = std::to_underlying(system_message_kind::answer);
  answer.generation = asker.generation();  // the actor may have ended: the receiver checks
  answer.from = reply_slot;
  if (here.trace.recorder != nullptr) [[unlikely]]
    note_traced_signal(here, asker, answer);
  const push_result pushed = asker.box.push_system(answer);
  if (pushed == push_result::closed) return false;
  count_send(here, asker);
  if (pushed == push_result::make_ready) make_ready(here, asker);
  return true;
}

/// Whether the time of an ask from outside is over.
[[gnu::noinline]] bool is_over(thread_record& here, cell& slot) noexcept {
  const ask_deadline until = slot.deadline_of_ask();
  if (!until.set()) return false;
  if (until.by() == ask_deadline::clock::of_threads) {
    const thread_waiting* const how = program_memory.waiting();
    return how != nullptr && until.over(how->now_ns());
  }
  system_gate* const gate = slot.gate.load(relaxed);  // relaxed: published with the ask
  if (gate == nullptr) return false;
  if (here.services != nullptr && gate->leads_to(here.services))
    return until.over(here.services->now_ns());
  bool over = false;
  gate->enter(here, [&](const system_services& of) { over = until.over(of.now_ns()); });
  return over;
}

/// A thread outside waits for the answer. Not counted: no actor handles it.
bool give_to_thread(cell& slot, origin reply_slot, envelope& answer) noexcept {
  answer.generation = reply_slot.generation;
  const push_result pushed = slot.box.push(answer);
  if (pushed == push_result::make_ready) make_ready(slot);
  return pushed != push_result::closed;
}

[[gnu::always_inline]] inline bool try_route(thread_record& here, cell& slot, origin reply_slot,
                                             envelope& answer) noexcept {
  // Checking the generation avoids routing most late answers; the receiver's check decides.
  if (slot.generation() != reply_slot.generation) return false;
  // relaxed: published with the ask. A late answer may read any actor: the receiver checks.
  cell* const asker = reply_slot_view{slot}.asker.load(relaxed);
  if (asker == nullptr) {
    if constexpr (cell::keeps_ask_deadline)
      if (is_over(here, slot)) return false;
    return give_to_thread(slot, reply_slot, answer);
  }
  if (is_awaiting(asker)) [[unlikely]]
    return send_awaited(here, awaiting_actor(asker), reply_slot, answer);
  answer.kind = envelope_kind::answer;
  answer.from = reply_slot;
  if (thread_record::counted_elsewhere != 0 && here.fast_limits == thread_record::traced)
      [[unlikely]]
    note_traced_signal(here, *asker, answer);
  const push_result pushed = asker->box.push(answer);
  if (pushed == push_result::closed) [[unlikely]]
    return false;
  count_send(here, *asker);
  if (pushed == push_result::make_ready) make_ready(here, *asker);
  return true;
}

/// The ask has ended.
[[gnu::noinline]] void end_unasked(thread_record& here, cell& slot, origin reply_slot,
                                   envelope& answer) noexcept {
  answer.kind = envelope_kind::message;
  answer.generation = reply_slot.generation;
  answer.from = here.sender;
  end_as_dead_letter(here, &slot, answer, drop_reason::late_answer);
}

}  // namespace

void link_answers() noexcept {}

bool route_answer(thread_record& here, cell& slot, origin reply_slot, envelope& answer) noexcept {
  return try_route(here, slot, reply_slot, answer);
}

void send_answer(thread_record& here, origin reply_slot, envelope& answer) noexcept {
  answer.from = here.sender;
  cell& slot = *program_memory.cells.at(reply_slot.index());
  if (!try_route(here, slot, reply_slot, answer)) [[unlikely]]
    end_unasked(here, slot, reply_slot, answer);
}

void refuse_answer(thread_record& here, origin from, ask_failure why) noexcept {
  if (from.what() != origin::kind::reply_slot) return;
  envelope* const e = enclose<not_answered>(here, not_answered{.why = why});
  if (e == nullptr) return;  // the ask will time out
  e->from = {};
  if (!route_answer(here, *program_memory.cells.at(from.index()), from, *e))
    discard_envelope(here, *e);
}

void answer_without_memory(thread_record& here, origin reply_slot,
                           const message_operations& operations) noexcept {
  cell* const slot = program_memory.cells.at(reply_slot.index());
  report_unsent(here, slot, reply_slot.generation, operations, drop_reason::no_memory);
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
  const bool was_sent = reply_slot.what() == origin::kind::reply_slot;
  if (!was_sent || answer.operations == &operations_of<not_answered>) {
    if (was_sent) --here.unhandled;  // nobody's message, so no dead letter: it counts as handled
    return discard_envelope(here, answer);
  }
  answer.kind = envelope_kind::message;
  answer.generation = reply_slot.generation;
  answer.from = {};  // the sender is no longer known
  cell* const slot = program_memory.cells.at(reply_slot.index());
  end_as_dead_letter(here, slot, answer, drop_reason::late_answer);
}

}  // namespace tactor::inline v0::internal
