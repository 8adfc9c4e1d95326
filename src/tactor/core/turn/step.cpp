// SPDX-License-Identifier: BSL-1.0
// What a turn does next, and how messages of users leave the mailbox.
#include "tactor/core/ask/pending_asks.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_tasks.hpp"
#include "tactor/core/life/failure.hpp"
#include "tactor/core/life/own_timers.hpp"
#include "tactor/core/life/receive_timeout.hpp"
#include "tactor/core/life/stash.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/message/locked_queue.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/send/dead_letters.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/full.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/timer_envelope.hpp"
#include "tactor/core/send/traced_messages.hpp"
#include "tactor/core/turn/turn.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0::internal {

using left = mailbox_reader::left;

turn::work turn::next() const noexcept {
  if (must_start(actor)) return work::start;
  if (actor.box.peek().noticed() && !message_is_due_) return work::notice;
  if (!runs()) return work::nothing;
  const actor_tasks* const tasks = tasks_of(actor);
  return tasks != nullptr && tasks->ready ? work::coroutine : work::message;
}

turn_step turn::step() noexcept {
  work what = next();
  if (what == work::notice) {
    const turn_step went = handle_notice();
    if (went != turn_step::continue_turn) return went;
    // A coroutine that has got its result goes on before the next message.
    what = next();
    if (what != work::coroutine) return went;
  }
  message_is_due_ = false;
  switch (what) {
  case work::start:
    return start_actor();
  case work::coroutine:
    return program_features().coroutines->go_on(*this, *tasks_of(actor));
  case work::message:
    return handle_next_message();
  case work::notice:
  case work::nothing:
    break;
  }
  return release_actor();
}

// From the stash, the side queue or the mailbox to the handler.

turn_step turn::handle_next_message() noexcept {
  if (envelope* const stashed = next_replayed(actor))
    return program_features().stash->replay(*this, *stashed);
  if (actor.own_side_queue() != nullptr)
    return program_features().limits->next_in_side_queue(*this);
  envelope* const e = actor.reader.front(actor.box);
  return e == nullptr ? release_actor() : handle_message(*e);
}

turn_step turn::handle_message(envelope& e) noexcept {
  return actor.filtered ? program_features().middleware->filter(*this, e) : handle_admitted(e);
}

turn_step turn::handle_admitted(envelope& e) noexcept {
  if (e.state() == holds_permit) program_features().limits->release_in_turn(thread, actor, e);
  if (e.kind == envelope_kind::answer) return handle_answer(e);
  if (e.generation != actor.tenant) return reject(e, drop_reason::stopped);
  if (e.kind == envelope_kind::timer) return program_features().timers->handle(*this, e);
  if (e.has(envelope::has_time)) record_latency(e);
  ++handled_;
  return finish(e, receive(e));
}

/// Ends a message that was handled, unless a coroutine that awaits something has taken it over.
turn_step turn::finish(envelope& e, call_result said) noexcept {
  if (said == call_result::awaiting) return leave(e);
  if (e.operations->destroy != nullptr) e.operations->destroy(payload_of(e));
  const turn_step went = leave(e);
  free_envelope(thread, e);
  return went;
}

/// Rejects a message: it is for an earlier tenant of the slot, or it is dropped. It has to leave
/// the mailbox before it ends.
turn_step turn::reject(envelope& e, drop_reason why) noexcept {
  if (e.kind == envelope_kind::timer) return program_features().timers->reject(*this, e, why);
  const turn_step went = leave(e);
  end_as_dead_letter(thread, &actor, e, why);  // only names the slot
  return went;
}

/// Takes the front message out of the mailbox; the cell may become idle or stop.
turn_step turn::leave(envelope& e) noexcept {
  if (&e == stray_) return actor.wanted.stop ? stop(nullptr) : turn_step::continue_turn;
  if (actor.wanted.stop) return stop(&e);
  if (actor.own_side_queue() != nullptr) return program_features().limits->leave_side_queue(*this);
  // The activity is recorded while the actor still runs: without another message it becomes idle.
  if (actor.wanted.has_receive_timeout && e.next.get() == nullptr)
    internal::note_activity(system, actor);
  const left rest = actor.reader.advance(actor.box, e);
  return rest == left::idle ? turn_step::idle : turn_step::continue_turn;
}

// No message may be handled now.

/// Sets the cell idle, unless there is something to do after all. A draining actor ends.
turn_step turn::release_actor() noexcept {
  const bool suspended = !actor.reasons.empty();
  if (actor.stage == lifecycle_stage::draining && !has_to_wait())
    return step_after(end_drained(*this));
  if (actor.wanted.has_receive_timeout) internal::note_activity(system, actor);
  // Before the cell is idle: then another worker may run it.
  if (suspended) suspended_for_ = first_reason_of(actor);
  if (actor.reader.set_idle(actor.box)) return suspended ? turn_step::suspended : turn_step::idle;
  // Late senders to an earlier tenant may have left the mark of a side queue that this tenant does
  // not have.
  if (actor.own_side_queue() == nullptr && actor.box.peek().in_side_queue())
    actor.reader.forget_side_queue(actor.box);
  return turn_step::continue_turn;
}

/// Returns: whether a draining actor cannot end yet. While it is suspended, queued messages keep it
/// alive. While it is suspended by a failure, it also has to be there to resume its children; by
/// backpressure, to send what is in its outboxes. A coroutine is waited for.
bool turn::has_to_wait() noexcept {
  if (const actor_tasks* const tasks = tasks_of(actor); tasks != nullptr && tasks->count != 0)
    return true;
  if (actor.reasons.empty()) return false;
  if (actor.reasons.has(suspend_reason::failure)) return true;
  if (actor.reasons.has(suspend_reason::backpressure)) return true;
  if (next_replayed(actor) != nullptr) return true;
  return actor.own_side_queue() == nullptr ? actor.reader.front(actor.box) != nullptr
                                           : program_features().limits->waits_in_side_queue(*this);
}

// Mailboxes with a side queue.

turn_step turn::handle_side_queue() noexcept {
  locked_queue& side_queue = *actor.own_side_queue();
  envelope_chain& strays = actor.reader.strays(actor.box, side_queue);
  if (!strays.empty()) return handle_stray(strays);
  envelope* const e = actor.reader.front(actor.box, side_queue);
  return e == nullptr ? release_actor() : handle_message(*e);
}

bool turn::waits_in_side_queue() noexcept {
  locked_queue& side_queue = *actor.own_side_queue();
  return !actor.reader.strays(actor.box, side_queue).empty() ||
         actor.reader.front(actor.box, side_queue) != nullptr;
}

turn_step turn::leave_side_queue() noexcept {
  locked_queue& side_queue = *actor.own_side_queue();
  notify_capacity(program_memory.producers.leave(actor));
  rearm_pressure(actor, side_queue.counted_size());
  if (actor.wanted.has_receive_timeout && side_queue.size() == 0)
    internal::note_activity(system, actor);
  const left rest = actor.reader.advance(actor.box, side_queue);
  return rest == left::idle ? turn_step::idle : turn_step::continue_turn;
}

/// Handles the oldest message that bypassed the side queue. The others wait, so that a suspension,
/// a stop and the limits of the turn take effect between two of them. A held message stays where it
/// is.
turn_step turn::handle_stray(envelope_chain& strays) noexcept {
  envelope& e = *strays.oldest();
  const bool is_timer = e.kind == envelope_kind::timer;
  const bool reserved =
      e.generation == actor.tenant && (is_timer || e.kind == envelope_kind::message);
  const admittance said = reserved && actor.filtered
                              ? program_features().middleware->admit(*this, e)
                              : admittance::proceed;
  if (said == admittance::hold) return turn_step::continue_turn;
  (void)strays.pop();
  release_permit(actor, e);
  if (reserved && is_timer && said == admittance::proceed) {
    stray_ = &e;
    const turn_step went = program_features().timers->handle(*this, e);
    stray_ = nullptr;
    return went;
  }
  if (reserved) {
    handle_reserved(e, said);
  } else if (e.kind == envelope_kind::answer && program_features().asks->take(*this, e)) {
    discard_envelope(thread, e);
  } else {
    end_as_dead_letter(thread, &actor, e, drop_reason::stopped);
  }
  return actor.wanted.stop ? stop(nullptr) : turn_step::continue_turn;
}

/// Handles a message with a reserved place.
void turn::handle_reserved(envelope& e, admittance said) noexcept {
  ++handled_;
  if (said == admittance::proceed) {
    receive_taken(e);
  } else {
    ++thread.unhandled;
    end_as_dead_letter(thread, &actor, e, drop_reason::middleware);
  }
}

const limit_functions limit_feature{.give = give_limits,
                                    .offer = offer_limited,
                                    .next_in_side_queue = call_member<&turn::handle_side_queue>,
                                    .leave_side_queue = call_member<&turn::leave_side_queue>,
                                    .waits_in_side_queue = call_member<&turn::waits_in_side_queue>,
                                    .release_permits = release_permits,
                                    .release_in_turn = release_in_turn,
                                    .refuse_producers = refuse_producers,
                                    .end_side_queue = end_side_queue,
                                    .end = end_limits};

// Messages of the stash.

turn_step turn::replay(envelope& oldest) noexcept {
  constexpr std::uint32_t most = 16;
  const std::uint32_t end = handled_ + most;
  for (envelope* next = &oldest; next != nullptr; next = next_replayed(actor)) {
    replay_one(*next);
    if (actor.wanted.stop) return stop(nullptr);
    if (!runs() || handled_ >= end || actor.box.peek().noticed()) break;
  }
  return turn_step::continue_turn;
}

/// The message leaves the stash afterwards, also if its handler failed; not if a middleware holds
/// it.
void turn::replay_one(envelope& stashed) noexcept {
  const bool asked = actor.filtered && stashed.kind != envelope_kind::system;
  const admittance said =
      asked ? program_features().middleware->admit(*this, stashed) : admittance::proceed;
  if (said == admittance::hold) return;
  ++handled_;
  ++thread.replayed;
  if (said == admittance::proceed && stashed.kind != envelope_kind::system) --thread.unhandled;
  if (said == admittance::drop) return drop_replayed(thread, actor, drop_reason::middleware);
  if (receive(stashed) == call_result::awaiting) {
    (void)take_replayed(actor);
  } else {
    end_replayed(thread, actor);
  }
}

const stash_functions stash_feature{.replay = call_member<&turn::replay>,
                                    .replay_after_restart = replay_after_restart,
                                    .end = end_stash};

// Messages of timers.

/// The job owns the envelope, which stays linked in the mailbox until `leave`. Only then may the
/// job learn that its run is over, because it may queue the envelope again at once.
turn_step turn::handle_timer(envelope& e) noexcept {
  timer_envelope& timer = timer_envelope::of(e);
  timer_job& job = timer.job();
  job.hold();
  const std::optional<execution_batch> batch = job.begin();
  // A failing handler is the actor's failure, not the job's; a failing copy or factory the job's.
  const run_result made = batch ? job.take_into(*batch, payload_of(e)) : run_result{};
  if (batch && made) {
    ++handled_;
    timer.set_batch(*batch);
    // After an await, the run is over when the coroutine ends.
    if (receive(e) == call_result::awaiting) return leave(e);
    if (e.operations->destroy != nullptr) e.operations->destroy(payload_of(e));
    e.set_state(0);
  } else {
    if (proceeded_) program_features().middleware->tell_destroyed(system, actor, e);
    system.count(&worker_counters::messages_cancelled);
  }
  const turn_step went = leave(e);
  if (batch) job.finish(made);
  job.let_go();
  return went;
}

turn_step turn::reject_timer(envelope& e, drop_reason why) noexcept {
  timer_job& job = timer_envelope::of(e).job();
  job.hold();
  const turn_step went = leave(e);
  end_as_dead_letter(thread, &actor, e, why);  // only names the slot
  job.let_go();
  return went;
}

const timer_functions timer_feature{.handle = call_member<&turn::handle_timer>,
                                    .reject = call_member<&turn::reject_timer>,
                                    .end_as_dead_letter = end_timer_as_dead_letter,
                                    .end_keyed = end_keyed_timers};

// Answers to asks.

turn_step turn::handle_answer(envelope& e) noexcept {
  return program_features().asks->take(*this, e) ? finish(e, call_result::done)
                                                 : reject(e, drop_reason::stopped);
}

/// There is no current message: the message that asked has been handled.
bool turn::continue_ask(envelope& answer) noexcept {
  if (internal::is_overdue_note(actor, answer)) {
    internal::take_overdue_note(actor);
    expire_asks(system.now_ns());
    return true;
  }
  actor.current = nullptr;
  thread.handling.store(answer.operations, relaxed);  // relaxed: a hint
  failure why;
  call_span span{thread, actor, answer};
  const call_result said = internal::take_answer(*this, answer, why);
  span.set_failed(said == call_result::failed);
  if (said == call_result::unhandled) return false;
  ++handled_;
  if (said == call_result::failed) {
    fail(answer.operations, {}, why);
  } else {
    actor.active = true;
  }
  return true;
}

void turn::handle_due_asks(std::uint64_t now_ns) noexcept {
  if (actor_tasks* const tasks = tasks_of(actor)) tasks->expire(*this, now_ns);
  expire_held_back_asks(now_ns);
  if (actor.wanted.stop || internal::set_deadline_of_awaits(*this, now_ns)) return;
  if (!internal::note_overdue_asks(thread, actor)) expire_asks(now_ns);
}

/// Ends pending asks whose timeout has passed while their messages waited in an outbox. No answer
/// can have come, so that they need not wait behind the messages that are queued; and the actor may
/// still wait to send other messages.
void turn::expire_held_back_asks(std::uint64_t now_ns) noexcept {
  internal::ask_position at;
  while (ask_slot* const due = internal::withdraw_next_due(thread, actor, at, now_ns)) {
    const bool only_sends = actor.reasons.all() == suspend_reasons{suspend_reason::backpressure};
    if (is_alive() && (actor.reasons.empty() || only_sends) && !is_in_task(actor))
      fail_ask(*due, ask_failure::timed_out, now_ns);
  }
}

/// Ends pending asks whose timeout has passed: a few, and the rest after the messages that are
/// queued by now.
void turn::expire_asks(std::uint64_t now_ns) noexcept {
  constexpr std::uint32_t most = 64;
  std::uint32_t ended = 0;
  while (ask_slot* const due = runs() ? internal::first_due_ask(actor, now_ns) : nullptr) {
    if (++ended > most && internal::note_overdue_asks(thread, actor)) return;
    fail_ask(*due, ask_failure::timed_out, now_ns);
  }
  if (actor.wanted.stop || internal::set_next_deadline(system, actor, now_ns)) return;
  // There is no timer for the others: end them now rather than never.
  while (ask_slot* const each =
             runs() ? internal::first_due_ask(actor, ~std::uint64_t{0}) : nullptr)
    fail_ask(*each, ask_failure::refused, now_ns);
}

void turn::fail_ask(ask_slot& slot, ask_failure why_none, std::uint64_t now_ns) noexcept {
  actor.current = nullptr;
  called_ = true;
  thread.handling.store(nullptr, relaxed);  // relaxed: a hint
  failure why;
  const call_result said = internal::fail_ask(thread, actor, slot, why_none, now_ns, why);
  if (said == call_result::failed) fail(nullptr, {}, why);
}

const ask_functions ask_feature{.refuse = refuse_asker,
                                .end_late = end_late_answer,
                                .take = call_member<&turn::continue_ask>,
                                .take_single = take_answer,
                                .expire = call_member<&turn::handle_due_asks>,
                                .end = end_asks};

}  // namespace tactor::inline v0::internal
