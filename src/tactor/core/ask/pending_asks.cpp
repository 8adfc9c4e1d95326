// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/ask/pending_asks.hpp"

#include "tactor/base/assert.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/actor_tasks.hpp"
#include "tactor/core/life/failure.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/system_of_turn.hpp"

#include <algorithm>
#include <chrono>

namespace tactor::inline v0::internal {
namespace {

ask_with_continuation& record_of(ask_slot& slot) noexcept {
  return slot.as<ask_with_continuation>();
}
pending_asks* asks_or_null(const cell& asker) noexcept {
  return asker.extended ? asker.parts->asks : nullptr;
}
/// Tells whether such a continuation fits into the slot itself.
bool fits_in_record(const message_operations& object) noexcept {
  return object.size <= sizeof(ask_with_continuation::storage) &&
         object.alignment <= alignof(void*);
}
void* continuation_in(ask_with_continuation& record) noexcept {
  if (fits_in_record(record.then->object)) return record.storage;
  return *std::launder(reinterpret_cast<void**>(record.storage));
}

/// The asks of an actor, made if there are none. Returns: null if there is no memory.
pending_asks* asks_of(thread_record& here, cell& asker) noexcept {
  actor_parts* const parts = parts_of(here, asker);
  if (parts == nullptr) return nullptr;
  if (parts->asks == nullptr) [[unlikely]]
    parts->asks = new_record<pending_asks>(here);
  return parts->asks;
}

duration time_between(std::uint64_t from_ns, std::uint64_t to_ns) noexcept {
  const std::uint64_t length = to_ns > from_ns ? to_ns - from_ns : 0;
  return std::chrono::nanoseconds{static_cast<std::int64_t>(length)};
}

/// Destroys a continuation that has run, or never will.
void end_continuation(thread_record& here, ask_with_continuation& record) noexcept {
  const message_operations& object = record.then->object;
  void* const then = continuation_in(record);
  if (object.destroy != nullptr) object.destroy(then);
  if (!fits_in_record(object)) free_block(here, then, object);
}
actor_ref<> target_of(const ask_with_continuation& record) noexcept {
  return {record.target, record.target_generation};
}
/// Ends an ask that has no answer.
void leave_slot(thread_record& here, ask_slot& slot) noexcept {
  ask_with_continuation& record = record_of(slot);
  withdraw_question(here, slot.answered_actor(), target_of(record), slot.as_origin());
  end_continuation(here, record);
  if (slot.leave()) program_memory.asks.give_back(here.asks, slot);
}

call_result run_without_answer(cell& asker, ask_slot& slot, ask_failure why_none,
                               std::uint64_t now_ns, failure& why) noexcept {
  ask_with_continuation& record = record_of(slot);
  const ask_error without{.kind = why_none,
                          .target = target_of(record),
                          .message_type = {},
                          .waited =
                              time_between(record.began_ns, std::min(now_ns, record.deadline_ns))};
  return record.then->run(continuation_in(record), context_of(asker), nullptr, &without, why);
}

/// A block for a continuation that does not fit into the record. Returns: null if it fits, or if
/// there is no memory.
void* place_besides(thread_record& here, const continuation_operations& then) noexcept {
  return fits_in_record(then.object) ? nullptr : new_block(here, then.object);
}

/// Fills in the record of an ask of `asker`. Returns: where its continuation is to be built.
void* fill_in(cell& asker, ask_slot& slot, ask_with_continuation& record,
              const continuation_operations& then, void* besides) noexcept {
  record.then = &then;
  if (besides != nullptr) ::new (static_cast<void*>(record.storage)) void*(besides);
  pending_asks& asks = *asker.parts->asks;
  record.number = ++asks.opened;
  asks.by_deadline.insert(slot);
  return besides != nullptr ? besides : record.storage;
}

}  // namespace

opened_ask open_ask(thread_record& here, cell& asker, const actor_ref<>& to, duration timeout,
                    const continuation_operations& then) noexcept {
  TACTOR_ASSERT(program_features().asks != nullptr, panics::asks_left_out);
  system_services& services = system_of_turn(here, asker);
  if (asks_of(here, asker) == nullptr) return {};
  ask_slot* const slot = program_memory.asks.take(here.asks);
  if (slot == nullptr) return {};
  const std::uint64_t now_ns = services.now_ns();
  const std::uint64_t deadline_ns = later(now_ns, timeout);
  void* const besides = place_besides(here, then);
  const bool placed = besides != nullptr || fits_in_record(then.object);
  if (!placed || !asker.parts->deadlines.set_no_later(services, asker, deadline_of::asks,
                                                      deadline_ns, now_ns)) [[unlikely]] {
    if (besides != nullptr) free_block(here, besides, then.object);
    program_memory.asks.give_back(here.asks, *slot);
    return {};
  }
  ask_with_continuation& record = slot->begin<ask_with_continuation>();
  record.began_ns = now_ns;
  record.deadline_ns = deadline_ns;
  record.target = to.slot();
  record.target_generation = to.generation();
  void* const place = fill_in(asker, *slot, record, then, besides);
  return {.from = slot->open_for(asker, ask_word::phase::open_to_continuation), .then = place};
}

adopted_ask adopt_ask(thread_record& here, cell& asker, thread_ask& asked, duration timeout,
                      const continuation_operations& then) noexcept {
  const std::uint64_t now_ns = here.services->now_ns();
  const std::uint64_t deadline_ns = later(now_ns, timeout);
  void* const besides = asks_of(here, asker) == nullptr ? nullptr : new_block(here, then.object);
  if (besides == nullptr || !asker.parts->deadlines.set_no_later(
                                *here.services, asker, deadline_of::asks, deadline_ns, now_ns)) {
    if (besides != nullptr) free_block(here, besides, then.object);
    return {.went = adoption::refused, .then = nullptr};
  }
  ask_slot& slot = asked.slot();
  slot.asker.store(&asker, relaxed);  // relaxed: passing the ask on publishes it
  if (!asked.pass_to_actor()) {
    free_block(here, besides, then.object);
    return {.went = adoption::answered, .then = nullptr};
  }
  // An answer that comes from now on waits in the mailbox until this turn has ended.
  ask_with_continuation& record = slot.begin<ask_with_continuation>();
  record.began_ns = now_ns;
  record.deadline_ns = deadline_ns;
  return {.went = adoption::adopted, .then = fill_in(asker, slot, record, then, besides)};
}

void queue_refused_ask(thread_record& here, cell& asker, envelope& e) noexcept {
  TACTOR_ASSERT(program_features().asks != nullptr, panics::asks_left_out);
  e.kind = envelope_kind::answer;
  e.generation = asker.tenant;
  e.from = {};
  if (asker.box.push(e) == push_result::closed) discard_envelope(here, e);  // it stops
}

void fail_without_memory(thread_record& here, cell& asker) noexcept {
  fail({*here.services, here, asker}, nullptr, {}, failure{"no memory for an ask"});
}

namespace {

/// The note in the asker's mailbox: answers queued before it came in time.
struct overdue_asks {
  using suppress_dead_letter = void;
};

}  // namespace

bool note_overdue_asks(thread_record& here, cell& asker) noexcept {
  pending_asks* const asks = asks_or_null(asker);
  // Without asks, only coroutines await something.
  if (asks == nullptr || asker.stage == lifecycle_stage::stopping) return false;
  envelope* const e = new_envelope<overdue_asks>(here);
  if (e == nullptr) return false;
  e->kind = envelope_kind::answer;
  e->generation = asker.tenant;
  e->from = {};
  asker.reader.push_own(asker.box, *e);  // also if it drains
  asks->noted = true;
  return true;  // the actor runs: no wake-up is needed
}

bool is_overdue_note(const cell& asker, const envelope& answer) noexcept {
  return answer.operations == &operations_of<overdue_asks> && answer.generation == asker.tenant;
}
void take_overdue_note(cell& asker) noexcept {
  if (pending_asks* const asks = asks_or_null(asker)) asks->noted = false;
}

/// An ask was refused.
[[gnu::noinline]] static call_result take_refusal(cell& asker, envelope& e, failure& why) noexcept {
  if (e.generation != asker.tenant) return call_result::unhandled;
  const auto& refused = *static_cast<refused_ask*>(payload_of(e));
  const ask_error without{
      .kind = refused.kind, .target = refused.target, .message_type = {}, .waited = {}};
  return refused.operations->run(refused.then, context_of(asker), nullptr, &without, why);
}

call_result take_answer(const turn_context& in, envelope& e, failure& why) noexcept {
  cell& asker = in.actor;
  if (e.from.what() != origin::kind::reply_slot) [[unlikely]]
    return e.operations == &operations_of<overdue_asks> ? call_result::unhandled
                                                        : take_refusal(asker, e, why);
  ask_slot& slot = program_memory.asks[e.from.index()];
  if (!slot.take()) [[unlikely]]
    return call_result::unhandled;
  asker.parts->asks->by_deadline.erase(slot);
  call_result said;
  if (e.operations == &operations_of<not_answered>) [[unlikely]] {
    const ask_failure kind = static_cast<not_answered*>(payload_of(e))->why;
    said = run_without_answer(asker, slot, kind, in.system.now_ns(), why);
  } else {
    ask_with_continuation& record = record_of(slot);
    said = record.then->run(continuation_in(record), context_of(asker), &e, nullptr, why);
  }
  end_continuation(in.thread, record_of(slot));
  program_memory.asks.give_back(in.thread.asks, slot);
  // The timer stays for the next ask: to cancel and set it costs more than an ask.
  return said;
}

ask_slot* first_due_ask(const cell& asker, std::uint64_t now_ns) noexcept {
  const pending_asks* const asks = asks_or_null(asker);
  ask_slot* const first = asks == nullptr ? nullptr : asks->by_deadline.first();
  return first != nullptr && record_of(*first).deadline_ns <= now_ns ? first : nullptr;
}

ask_slot* withdraw_next_due(thread_record& here, cell& asker, ask_position& after,
                            std::uint64_t now_ns) noexcept {
  const pending_asks* const asks = asks_or_null(asker);
  const auto is_behind = [&after](ask_slot& each) {
    const ask_with_continuation& record = record_of(each);
    if (record.deadline_ns != after.deadline_ns) return record.deadline_ns > after.deadline_ns;
    return static_cast<std::int32_t>(record.number - after.number) > 0;
  };
  while (asks != nullptr && asker.reasons.has(suspend_reason::backpressure)) {
    ask_slot* const next = asks->by_deadline.first_that(is_behind);
    if (next == nullptr) return nullptr;
    const ask_with_continuation& record = record_of(*next);
    if (record.deadline_ns > now_ns) return nullptr;
    after = {.deadline_ns = record.deadline_ns, .number = record.number};
    if (withdraw_question(here, asker, target_of(record), next->as_origin())) return next;
  }
  return nullptr;
}

bool withdraw_question(thread_record& here, cell& asker, const actor_ref<>& target,
                       origin question) noexcept {
  if (!asker.reasons.has(suspend_reason::backpressure)) return false;
  if (asker.stage == lifecycle_stage::stopping) return false;  // its outboxes end with it
  return program_features().outboxes->withdraw({*here.services, here, asker}, target, question);
}

call_result fail_ask(thread_record& here, cell& asker, ask_slot& slot, ask_failure why_none,
                     std::uint64_t now_ns, failure& why) noexcept {
  asker.parts->asks->by_deadline.erase(slot);
  const call_result said = run_without_answer(asker, slot, why_none, now_ns, why);
  leave_slot(here, slot);
  return said;
}

bool set_next_deadline(system_services& services, cell& asker, std::uint64_t now_ns) noexcept {
  const pending_asks* const asks = asks_or_null(asker);
  const auto is_wanted = [&](ask_slot& each) {  // the note ends those that are due
    return !asks->noted || record_of(each).deadline_ns > now_ns;
  };
  ask_slot* const first = asks == nullptr ? nullptr : asks->by_deadline.first_that(is_wanted);
  const actor_tasks* const tasks = tasks_of(asker);
  const std::uint64_t awaited_ns = tasks == nullptr ? 0 : tasks->next_deadline_ns();
  std::uint64_t next_ns = first == nullptr ? awaited_ns : record_of(*first).deadline_ns;
  if (awaited_ns != 0 && awaited_ns < next_ns) next_ns = awaited_ns;
  if (next_ns == 0) return true;
  // It is suspended, and there is no memory for a note: look again later.
  if (next_ns <= now_ns) next_ns = later(now_ns, std::chrono::milliseconds{10});
  return asker.parts->deadlines.set(services, asker, deadline_of::asks, next_ns, now_ns);
}

bool set_deadline_of_awaits(const turn_context& in, std::uint64_t now_ns) noexcept {
  cell& asker = in.actor;
  const bool note = first_due_ask(asker, now_ns) != nullptr && !asks_or_null(asker)->noted;
  if (note && !note_overdue_asks(in.thread, asker)) return false;
  return set_next_deadline(in.system, asker, now_ns);
}

void end_asks(thread_record& here, cell& asker) noexcept {
  pending_asks* const asks = asks_or_null(asker);
  if (asks == nullptr) return;
  const bool ended = std::exchange(here.ending, asker.stage == lifecycle_stage::stopping);
  while (ask_slot* const slot = asks->by_deadline.first()) {
    asks->by_deadline.erase(*slot);
    leave_slot(here, *slot);
  }
  here.ending = ended;
  asker.parts->deadlines.cancel_with_timer(deadline_of::asks);
}

}  // namespace tactor::inline v0::internal
