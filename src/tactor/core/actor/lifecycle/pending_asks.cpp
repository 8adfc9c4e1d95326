// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/lifecycle/pending_asks.hpp"

#include "tactor/core/actor/lifecycle/actor_tasks.hpp"
#include "tactor/core/actor/lifecycle/extras/actor_extras.hpp"
#include "tactor/core/actor/lifecycle/fault_handling.hpp"
#include "tactor/core/actor/runtime/runtime_memory.hpp"
#include "tactor/core/scheduler/scheduler.hpp"

#include <chrono>

namespace tactor::inline v0::internal {
namespace {

// A board links with it:
[[gnu::used]] void (*const ask_needs_turns)() noexcept = link_asks;
[[gnu::used]] void (*const ask_needs_answers)() noexcept = link_answers;

ask_record& record_of(cell& slot) noexcept {
  return *std::launder(reinterpret_cast<ask_record*>(slot.storage()));
}
pending_asks* asks_or_null(const cell& asker) noexcept {
  return asker.extended ? asker.extras->asks : nullptr;
}
void* continuation_in(ask_record& record) noexcept {
  if (ask_record::holds(record.then->object)) return record.storage;
  return *std::launder(reinterpret_cast<void**>(record.storage));
}

/// The asks of an actor, made if there are none. Returns: null if there is no memory.
pending_asks* asks_of(thread_record& here, cell& asker) noexcept {
  actor_extras* const extras = extras_of(here, asker);
  if (extras == nullptr) return nullptr;
  if (extras->asks == nullptr) [[unlikely]]
    extras->asks = new_record<pending_asks>(here);
  return extras->asks;
}

void link(pending_asks& asks, cell& slot, std::uint64_t deadline_ns) noexcept {
  reply_slot_view{slot}.number.store(++asks.opened, relaxed);  // relaxed: only its actor uses it
  cell* const last = asks.last;
  if (last != nullptr && record_of(*last).deadline_ns > deadline_ns) [[unlikely]]
    return asks.sooner.insert(slot);
  slot.previous_sibling = last;
  slot.next_sibling = nullptr;
  (last == nullptr ? asks.first : last->next_sibling) = &slot;
  asks.last = &slot;
}
void unlink(pending_asks& asks, cell& slot) noexcept {
  cell* const before = slot.previous_sibling;
  cell*& to_slot = before == nullptr ? asks.first : before->next_sibling;
  if (to_slot != &slot) [[unlikely]]  // no node below another one in the tree refers to it
    return asks.sooner.erase(slot);
  cell* const after = slot.next_sibling;
  to_slot = after;
  (after == nullptr ? asks.last : after->previous_sibling) = before;
}
/// The ask that times out first, or null.
cell* first_of(const pending_asks& asks) noexcept {
  cell* const listed = asks.first;
  if (asks.sooner.empty()) [[likely]]
    return listed;
  cell* const sooner = asks.sooner.first();
  return listed != nullptr && ask_order::comes_before(*listed, *sooner) ? listed : sooner;
}

duration time_between(std::uint64_t from_ns, std::uint64_t to_ns) noexcept {
  const std::uint64_t length = to_ns > from_ns ? to_ns - from_ns : 0;
  return std::chrono::nanoseconds{static_cast<std::int64_t>(length)};
}

/// The continuation has run, or never will.
void leave_slot(thread_record& here, cell& slot) noexcept {
  ask_record& record = record_of(slot);
  const message_operations& object = record.then->object;
  void* const then = continuation_in(record);
  if (object.destroy != nullptr) object.destroy(then);
  if (!ask_record::holds(object)) free_block(here, then, object);
  program_memory.cells.give_back(here.cells, slot);
}

call_result run_without_answer(cell& asker, cell& slot, ask_failure why_none, std::uint64_t now_ns,
                               failure& why) noexcept {
  ask_record& record = record_of(slot);
  const reply_slot_view ask{slot};
  const ask_error without{
      .kind = why_none,
      .target = {ask.target, ask.target_generation.load(relaxed)},  // relaxed: its actor wrote it
      .message_type = {},
      .waited = time_between(record.began_ns, now_ns)};
  return record.then->run(continuation_in(record), context_of(asker), nullptr, &without, why);
}

}  // namespace

bool ask_order::comes_before(cell& a, cell& b) noexcept {
  const std::uint64_t a_ns = record_of(a).deadline_ns;
  const std::uint64_t b_ns = record_of(b).deadline_ns;
  if (a_ns != b_ns) return a_ns < b_ns;
  const auto number_of = [](cell& of) {
    return reply_slot_view{of}.number.load(relaxed);  // relaxed: only its actor uses it
  };
  return static_cast<std::int32_t>(number_of(a) - number_of(b)) < 0;
}

opened_ask open_ask(thread_record& here, cell& asker, const actor_ref<>& to, duration timeout,
                    const continuation_operations& then) noexcept {
  pending_asks* const asks = asks_of(here, asker);
  const bool possible = asks != nullptr && sizeof(ask_record) <= cell::room();
  cell* const slot = possible ? program_memory.cells.take(here.cells) : nullptr;
  if (slot == nullptr) return {};
  const std::uint64_t now_ns = here.services->now_ns();
  const std::uint64_t deadline_ns = later(now_ns, timeout);
  auto* const record = ::new (static_cast<void*>(slot->storage())) ask_record;
  record->deadline_ns = deadline_ns;
  record->began_ns = now_ns;
  record->then = &then;
  void* place = record->storage;
  if (!ask_record::holds(then.object)) [[unlikely]] {
    place = new_block(here, then.object);
    if (place != nullptr) ::new (static_cast<void*>(record->storage)) void*(place);
  }
  bool timed = place != nullptr;
  actor_deadlines& deadlines = asker.extras->deadlines;
  if (timed && !deadlines.covers(deadline_of::asks, deadline_ns)) [[unlikely]] {
    timed = deadlines.set(*here.services, asker, deadline_of::asks, deadline_ns, now_ns);
  }
  if (!timed) [[unlikely]] {
    if (place != nullptr && place != record->storage) free_block(here, place, then.object);
    close_ask(*slot);
    program_memory.cells.give_back(here.cells, *slot);
    return {};
  }
  link(*asks, *slot, deadline_ns);
  const reply_slot_view ask{*slot};
  ask.target = to.slot();
  // relaxed, all of these: the message that asks publishes them
  ask.target_generation.store(to.generation(), relaxed);  // relaxed: as said
  slot->gate.store(asker.gate.load(relaxed), relaxed);    // relaxed: as said
  ask.asker.store(&asker, relaxed);                       // relaxed: as said
  return {.slot = slot, .then = place};
}

void queue_refused_ask(thread_record& here, cell& asker, envelope& e) noexcept {
  e.kind = envelope_kind::answer;
  e.generation = asker.tenant;
  e.from = {};
  if (asker.box.push(e) == push_result::closed) discard_envelope(here, e);  // it stops
}

void fail_without_memory(thread_record& here, cell& asker) noexcept {
  fail(*here.services, here, asker, nullptr, {}, failure{"no memory for an ask"});
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

call_result take_answer(thread_record& here, system_services& services, cell& asker, envelope& e,
                        failure& why) noexcept {
  if (e.from.what() != origin::kind::reply_slot) [[unlikely]]
    return e.operations == &operations_of<overdue_asks> ? call_result::unhandled
                                                        : take_refusal(asker, e, why);
  cell& slot = *program_memory.cells.at(e.from.index());
  if (!is_ask_of(asker, slot, e.from.generation)) [[unlikely]]
    return call_result::unhandled;
  unlink(*asker.extras->asks, slot);
  close_ask(slot);
  call_result said;
  if (e.operations == &operations_of<not_answered>) [[unlikely]] {
    const ask_failure kind = static_cast<not_answered*>(payload_of(e))->why;
    said = run_without_answer(asker, slot, kind, services.now_ns(), why);
  } else {
    ask_record& record = record_of(slot);
    said = record.then->run(continuation_in(record), context_of(asker), &e, nullptr, why);
  }
  leave_slot(here, slot);
  // The timer stays for the next ask: to cancel and set it costs more than an ask.
  return said;
}

bool has_due_ask(const cell& asker, std::uint64_t now_ns) noexcept {
  const pending_asks* const asks = asks_or_null(asker);
  cell* const first = asks == nullptr ? nullptr : first_of(*asks);
  return first != nullptr && record_of(*first).deadline_ns <= now_ns;
}

call_result fail_first_ask(thread_record& here, cell& asker, ask_failure why_none,
                           std::uint64_t now_ns, failure& why) noexcept {
  cell& slot = *first_of(*asker.extras->asks);
  const going_on unanswered{here, trace_key::of_ask(origin::of_reply_slot(slot.slot, slot.tenant))};
  unlink(*asker.extras->asks, slot);
  close_ask(slot);
  const call_result said = run_without_answer(asker, slot, why_none, now_ns, why);
  leave_slot(here, slot);
  return said;
}

bool set_next_deadline(system_services& services, cell& asker, std::uint64_t now_ns) noexcept {
  const pending_asks* const asks = asks_or_null(asker);
  cell* const first = asks == nullptr || asks->noted ? nullptr : first_of(*asks);
  const actor_tasks* const tasks = tasks_of(asker);
  const std::uint64_t awaited_ns = tasks == nullptr ? 0 : tasks->next_deadline_ns();
  std::uint64_t next_ns = first == nullptr ? awaited_ns : record_of(*first).deadline_ns;
  if (awaited_ns != 0 && awaited_ns < next_ns) next_ns = awaited_ns;
  if (next_ns == 0) return true;
  // It is suspended, and there is no memory for a note: look again later.
  if (next_ns <= now_ns) next_ns = later(now_ns, std::chrono::milliseconds{10});
  return asker.extras->deadlines.set(services, asker, deadline_of::asks, next_ns, now_ns);
}

bool set_deadline_of_awaits(system_services& services, thread_record& here, cell& asker,
                            std::uint64_t now_ns) noexcept {
  const bool note = has_due_ask(asker, now_ns) && !asks_or_null(asker)->noted;
  if (note && !note_overdue_asks(here, asker)) return false;
  return set_next_deadline(services, asker, now_ns);
}

void end_asks(thread_record& here, cell& asker) noexcept {
  pending_asks* const asks = asks_or_null(asker);
  if (asks == nullptr) return;
  const bool ended = std::exchange(here.ending, asker.stage == lifecycle_stage::stopping);
  while (cell* const slot = first_of(*asks)) {
    unlink(*asks, *slot);
    close_ask(*slot);
    leave_slot(here, *slot);
  }
  here.ending = ended;
  asker.extras->deadlines.cancel_with_timer(deadline_of::asks);
}

}  // namespace tactor::inline v0::internal
