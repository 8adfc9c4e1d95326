// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/turn/slow_path.hpp"

#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/delivery/lost_messages.hpp"
#include "tactor/core/actor/delivery/timer_envelope.hpp"
#include "tactor/core/actor/lifecycle/actor_tasks.hpp"
#include "tactor/core/actor/lifecycle/extras/actor_extras.hpp"
#include "tactor/core/actor/lifecycle/extras/rare_lists.hpp"
#include "tactor/core/actor/lifecycle/extras/receive_timeout.hpp"
#include "tactor/core/actor/lifecycle/fault_handling.hpp"
#include "tactor/core/actor/lifecycle/pending_asks.hpp"
#include "tactor/core/actor/lifecycle/stash.hpp"
#include "tactor/core/actor/lifecycle/suspension.hpp"
#include "tactor/core/observe/turn_times.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"

#include <optional>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

using left = mailbox_reader::left;

}  // namespace

step_result slow_path::run_one(std::uint32_t most, mail_order order) noexcept {
  return run_one_in_line(most, order);
}

step_result slow_path::after_handler(call_result said, envelope& e, const failure& why) noexcept {
  result_.handled = 1;
  if (said != call_result::done) settle(said, e, why);
  return done(finish(e));
}

/// A handler failed, or there is none.
void slow_path::settle(call_result said, envelope& e, const failure& why) noexcept {
  if (said ==
      call_result::awaiting) {  // a re-entrant handler: the actor is not suspended meanwhile
    cell_.active = cell_.active || (e.kind != envelope_kind::system && counts_as_activity(e));
    return;
  }
  if (said == call_result::failed) {
    fail(e.operations, e.from, why);
  } else {
    if (e.kind != envelope_kind::system) ++here_.unhandled;
    report_unhandled(services_, cell_, e);
    internal::refuse_answer(here_, e.from, ask_failure::no_reply);
  }
}

void slow_path::fail(const message_operations* in, origin asker, const failure& why) noexcept {
  result_.failed = true;
  internal::fail(services_, here_, cell_, in, asker, why);
}

/// The next message of a user, if there is one.
inline turn_step slow_path::process_message_in_line() noexcept {
  if (envelope* const stashed = next_replayed(cell_)) return replay(*stashed);
  if (cell_.own_side_queue() != nullptr) return process_side_queue();
  envelope* const e = cell_.reader.front(cell_.box);
  if (e == nullptr) return on_idle();
  return cell_.filtered ? process_filtered(*e) : process_envelope(*e);
}
turn_step slow_path::process_message() noexcept {
  return process_message_in_line();
}

turn_step slow_path::process_next() noexcept {
  if (must_start(cell_) || cell_.box.peek().noticed()) {
    if (const step s = process_notice(); s != step::continue_turn) return s;
    if (cell_.box.peek().noticed() && system_mail_comes_first()) return step::continue_turn;
  }
  if (!runs()) return on_idle();
  if (actor_tasks* const tasks = tasks_of(cell_); tasks != nullptr && tasks->ready)
    return continue_task(*tasks);
  return process_message_in_line();
}

/// Whether system messages that have come since the notice was taken go before the next user message. Those that the actor's own code
/// caused in this step always do.
bool slow_path::system_mail_comes_first() const noexcept {
  if (order_ == mail_order::system_first || called_) return true;
  const rare_lists* const lists = cell_.extended ? cell_.extras->rare : nullptr;
  return lists != nullptr && !(lists->system_mail.empty() && lists->deferred.empty());
}

/// Starts the actor if it has not started, and takes the notice.
turn_step slow_path::process_notice() noexcept {
  if (must_start(cell_)) {
    start(services_, here_, cell_);
    result_.failed = result_.failed || cell_.object == nullptr;
    if (cell_.wanted.stop) return stop(nullptr);
  }
  // Once: an actor whose restarts keep failing gives itself notice each time.
  if (!cell_.box.peek().noticed()) return step::continue_turn;
  cell_.reader.take_notice(cell_.box);
  return process_system();
}

turn_step slow_path::process_system() noexcept {
  if (const step s = as_step(handle_requests(services_, here_, cell_)); s != step::continue_turn)
    return s;
  if (cell_.wanted.stop) return stop(nullptr);  // a restart has failed
  return process_system_messages();
}

// Messages of users.

turn_step slow_path::on_idle() noexcept {
  const bool suspended = !cell_.reasons.empty();
  if (cell_.stage == lifecycle_stage::draining && !has_to_wait())
    return as_step(end_drained(services_, here_, cell_));
  if (cell_.wanted.has_receive_timeout) internal::note_activity(services_, cell_);
  if (suspended) {  // before it is idle: then another worker may run it
    const suspended_for first = first_reason_of(cell_);
    result_.reason = first.reason;
    result_.resume_on = first.condition;
  }
  if (cell_.reader.set_idle(cell_.box)) return suspended ? step::suspended : step::idle;
  tidy_up();
  return step::continue_turn;
}

turn_step slow_path::process_envelope(envelope& e) noexcept {
  if (e.detail == holds_permit) release_in_turn(here_, cell_, e);
  if (e.kind == envelope_kind::answer) return handle_answer(e);
  if (e.generation != cell_.tenant) return reject_stale(e);
  if (e.kind == envelope_kind::timer) return handle_timer(e);
  if (thread_record::counted_elsewhere != 0 && e.kind == envelope_kind::timed) note_latency(e);
  ++result_.handled;
  receive(e);
  return finish(e);
}

/// Records how long ago the message was sent.
void slow_path::note_latency(envelope& e) noexcept {
  const std::uint64_t sent_ns = take_send_time(cell_, e);
  turn_times* const times = times_of(here_.counters);
  if (times == nullptr) return;
  const std::uint64_t now_ns = services_.now_ns();
  if (now_ns >= sent_ns) times->record_latency(cell_.slot, cell_.tenant, now_ns - sent_ns);
}

/// Calls the handler, and measures it if this turn is measured.
call_result slow_path::call(envelope& e, failure& why) noexcept {
  if (here_.trace.recorder != nullptr) return call_traced(*here_.trace.recorder, e, why);
  if (e.kind == envelope_kind::traced) e.kind = envelope_kind::message;  // the trace is over
  turn_times* const times = times_of(here_.counters);
  const bool measured = times != nullptr && times->measuring && e.kind != envelope_kind::system;
  if (!measured) return cell_.type->receive(cell_.object, context_of(cell_), e, why);
  times->measuring = false;
  const std::uint64_t begun_ns = services_.now_ns();
  const call_result said = cell_.type->receive(cell_.object, context_of(cell_), e, why);
  times->record_duration(cell_.slot, cell_.tenant, services_.now_ns() - begun_ns);
  return said;
}

call_result slow_path::call_traced(trace_recorder& by, envelope& e, failure& why) noexcept {
  by.begin(cell_, e, services_.now_ns());
  return cell_.type->receive(cell_.object, context_of(cell_), e, why);
}

/// What was begun has been handled, and its failure, too.
void slow_path::end_traced(trace_recorder& by, call_result said) noexcept {
  by.end(said == call_result::failed, services_.now_ns());
}

void slow_path::receive(envelope& e) noexcept {
  called_ = true;
  cell_.current = &e;
  here_.handling.store(e.operations, relaxed);  // relaxed: a hint
  const call_result said = call(e, here_.failures.get().why);
  if (cell_.filtered && e.kind != envelope_kind::system && said != call_result::awaiting)
    tell_middleware(e, said);
  if (said != call_result::done) {
    settle(said, e, here_.failures.get().why);
  } else if (e.kind != envelope_kind::system && counts_as_activity(e)) {
    cell_.active = true;
  }
  if (here_.trace.recorder != nullptr) end_traced(*here_.trace.recorder, said);
}

/// Whether a coroutine that awaits something has taken over the message.
bool slow_path::is_kept(const envelope& e) const noexcept {
  const actor_tasks* const tasks = tasks_of(cell_);
  return tasks != nullptr && tasks->newest == &e;
}

/// Ends a message that was handled.
turn_step slow_path::finish(envelope& e) noexcept {
  if (is_kept(e)) return leave(e);
  if (e.operations->destroy != nullptr) e.operations->destroy(payload_of(e));
  const step s = leave(e);
  free_envelope(here_, e);
  return s;
}

turn_step slow_path::handle_answer(envelope& e) noexcept {
  return continue_ask(e) ? finish(e) : reject_stale(e);
}

/// Rejects a message: for an earlier tenant of the slot, or dropped. It has to leave the mailbox
/// before it ends.
turn_step slow_path::reject(envelope& e, drop_reason why) noexcept {
  timer_job* const job = e.kind == envelope_kind::timer ? &timer_envelope::of(e).job() : nullptr;
  if (job != nullptr) job->hold();
  const step s = leave(e);
  end_as_dead_letter(here_, &cell_, e, why);  // only names the slot
  if (job != nullptr) job->let_go();
  return s;
}

/// Takes the front message out of the mailbox; the cell may become idle or stop.
turn_step slow_path::leave(envelope& e) noexcept {
  if (cell_.wanted.stop) return stop(&e);
  if (cell_.own_side_queue() != nullptr) return leave_side_queue();
  if (cell_.wanted.has_receive_timeout) {  // it becomes idle after its activity has been recorded
    cell_.reader.skip(cell_.box, e);
    return step::continue_turn;
  }
  const left rest = cell_.reader.advance(cell_.box, e);
  return rest == left::idle ? step::idle : step::continue_turn;
}

}  // namespace tactor::inline v0::internal
