// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/long_way.hpp"

#include "tactor/core/actor/actor_extras.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/actor/death_watch.hpp"
#include "tactor/core/actor/delivery.hpp"
#include "tactor/core/actor/local_letter.hpp"
#include "tactor/core/actor/open_asks.hpp"
#include "tactor/core/actor/receive_timeout.hpp"
#include "tactor/core/actor/supervised.hpp"
#include "tactor/core/actor/suspension.hpp"
#include "tactor/core/actor/timer_letter.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/scheduler/timer_job.hpp"

#include <optional>

namespace tactor::inline v0 {
namespace {

using left = mailbox_reader::left;

evicting_queue* lane_of(const cell& c) noexcept {
  return c.lane.load(relaxed);  // relaxed: constant while somebody runs the cell
}

bool must_start(const cell& c) noexcept {
  // One that failed to start waits for what its supervisor says.
  return c.stage == life_stage::starting && !c.reasons.failed_itself();
}

}  // namespace

long_step long_way::once() noexcept {
  return done(take_care());
}

long_step long_way::after_handler(call_result said, envelope& e, const failure& why) noexcept {
  handled_ = 1;
  if (said != call_result::done) settle(said, e, why);
  return done(finish(e));
}

long_step long_way::done(step where) const noexcept {
  return {.where = where,
          .failed = failed_,
          .reason = reason_,
          .resume_on = resume_on_,
          .handled = handled_,
          .retry_after = retry_after_};
}

/// A handler failed, or there is none.
void long_way::settle(call_result said, envelope& e, const failure& why) noexcept {
  if (said == call_result::failed) {
    internal::refuse_answer(here_, e.from, ask_failure::target_failed);
    fail(e.operations, why);
  } else {
    home_.dead_letter({.why = drop_reason::unhandled,
                       .operations = *e.operations,
                       .payload = payload_of(e),
                       .target = {.slot = cell_.slot, .generation = cell_.tenant},
                       .sender = e.from});
    internal::refuse_answer(here_, e.from, ask_failure::no_reply);
  }
}

void long_way::fail(const message_operations* in, const failure& why) noexcept {
  failed_ = true;
  tactor::fail(home_, here_, cell_, in, why);
  if (const supervised* const record = cell_.extended ? cell_.extras->supervised : nullptr)
    retry_after_ = record->said.delay;
}

/// Whatever is not the handling of one ordinary message after the other.
turn_step long_way::take_care() noexcept {
  if (must_start(cell_) || cell_.box.peek().noticed()) {
    if (const step s = attend(); s != step::go_on) return s;
    if (cell_.box.peek().noticed()) return step::go_on;  // it comes first
  }
  if (!runs()) return nothing_left();
  evicting_queue* const lane = lane_of(cell_);
  if (lane != nullptr && cell_.box.peek().newest() != nullptr) return take_strays();
  envelope* const e =
      lane == nullptr ? cell_.reader.front(cell_.box) : cell_.reader.front(cell_.box, *lane);
  return e == nullptr ? nothing_left() : pass_through(*e);
}

/// What the runtime wants of the actor.
turn_step long_way::attend() noexcept {
  if (must_start(cell_)) {
    start(home_, here_, cell_);
    failed_ = failed_ || cell_.object == nullptr;
    if (cell_.wanted.stop) return stop(nullptr);
  }
  // Once: an actor that is restarted in vain gives itself notice for ever.
  if (!cell_.box.peek().noticed()) return step::go_on;
  cell_.reader.take_notice(cell_.box);
  return look();
}

turn_step long_way::look() noexcept {
  if (const step s = as_step(look_at_requests(home_, here_, cell_)); s != step::go_on) return s;
  if (cell_.wanted.stop) return stop(nullptr);  // a restart has failed
  return take_system_messages();
}

turn_step long_way::take_system_messages() noexcept {
  envelope_chain mail = cell_.reader.take_system(cell_.box);
  step s = step::go_on;
  while (envelope* const e = mail.pop()) {
    leave_system_mail(cell_, *e);
    // Once it has ended, the rest of the cell is somebody else's.
    const bool wanted = s == step::go_on && e->generation == cell_.tenant;
    if (!wanted) {
      end_system_letter(here_, cell_, *e);
      continue;
    }
    take_letter(*e);
    if (here_.counters != nullptr) here_.counters->system_messages_handled.add(1);
    if (cell_.wanted.stop) s = stop(nullptr);
  }
  if (s == step::go_on) tell_what_was_held();
  return s == step::go_on && cell_.wanted.stop ? stop(nullptr) : s;
}

void long_way::take_letter(envelope& e) noexcept {
  if (e.kind == envelope_kind::timer) return take_deadline_letter(e);
  switch (letter_of(e)) {
  case system_letter::order:
    if (cell_.stage != life_stage::stopping)
      internal::obey(home_, here_, cell_, *static_cast<internal::order*>(payload_of(e)));
    return discard_envelope(here_, e);
  case system_letter::child_failed: {
    const bool had_failed = cell_.reasons.failed_itself() || cell_.wanted.stop;
    take_child_failure(home_, here_, cell_, e);
    failed_ = failed_ || (!had_failed && (cell_.reasons.failed_itself() || cell_.wanted.stop));
    return;
  }
  case system_letter::watch:
    // Those who come while it stops are told with the others.
    return internal::take_watch(here_, cell_, e);
  case system_letter::unwatch:
    return internal::take_unwatch(here_, cell_, e);
  case system_letter::terminated:
    return tell_of_death(e);
  case system_letter::room_wanted:
    return internal::take_room_wanted(here_, cell_, e);
  case system_letter::room_free:
    return internal::take_room_free(home_, here_, cell_, e);
  case system_letter::message:
    break;
  }
  if (cell_.object == nullptr || cell_.stage == life_stage::stopping)
    return end_system_letter(here_, cell_, e);
  receive(e);
  discard_envelope(here_, e);
}

/// An actor that this one watches has ended. It learns of it when it runs, ahead of its mail, and
/// after those that ended before.
void long_way::tell_of_death(envelope& e) noexcept {
  watch_lists* const lists = cell_.extended ? cell_.extras->watches : nullptr;
  if (lists == nullptr) return discard_envelope(here_, e);
  lists->held.push(e);
  tell_what_was_held();
}

void long_way::tell_what_was_held() noexcept {
  while (runs() && cell_.extended && cell_.extras->watches != nullptr) {
    envelope* const e = cell_.extras->watches->held.pop();
    if (e == nullptr) return;
    tell_of_one_death(*e);
  }
}

void long_way::tell_of_one_death(envelope& e) noexcept {
  const internal::death_notice notice = internal::take_terminated(here_, cell_, e);
  if (!notice.wanted) return;
  if (notice.told != nullptr) {
    receive(*notice.told);
    return discard_envelope(here_, *notice.told);
  }
  local_letter<terminated> letter{terminated{notice.who}, cell_.tenant};
  letter.head.from =
      notice.who ? origin::of_actor(notice.who.slot()->slot, notice.who.generation()) : origin{};
  receive(letter.head);
}

// Deadlines.

void long_way::take_deadline_letter(envelope& e) noexcept {
  timer_job& job = timer_letter::of(e).job();
  job.hold();
  if (job.begin()) {
    meet_deadlines();
    job.finish({});
  }
  job.let_go();
}

void long_way::meet_deadlines() noexcept {
  if (!cell_.extended) return;
  actor_deadlines& deadlines = cell_.extras->deadlines;
  deadlines.rung();
  const std::uint64_t now_ns = home_.now_ns();
  while (const auto due = deadlines.poll(now_ns)) {
    if (cell_.wanted.stop || cell_.stage == life_stage::stopping) return;
    meet(*due, now_ns);
  }
  if (cell_.wanted.stop || deadlines.rearm(home_, cell_, now_ns)) return;
  home_.misused(cell_,
                "there is no timer for the deadlines of an actor: raise the scheduler's quota");
}

void long_way::meet(deadline_of what, std::uint64_t now_ns) noexcept {
  switch (what) {
  case deadline_of::asks:
    if (!internal::note_overdue_asks(here_, cell_)) end_due_asks(now_ns);
    return;
  case deadline_of::idling:
    return tell_of_idling(now_ns);
  case deadline_of::restart:
    return go_on_restarting(home_, here_, cell_);
  case deadline_of::await_external:
    return internal::resume_in_time(home_, here_, cell_, suspend_reason::await_external);
  case deadline_of::rate_limit:
    return internal::resume_in_time(home_, here_, cell_, suspend_reason::rate_limit);
  case deadline_of::user_defined:
    return internal::resume_in_time(home_, here_, cell_, suspend_reason::user_defined);
  }
}

/// The time of a question is over.
void long_way::end_due_asks(std::uint64_t now_ns) noexcept {
  while (runs() && internal::has_due_ask(cell_, now_ns))
    end_first_ask(ask_failure::timed_out, now_ns);
  if (cell_.wanted.stop || internal::set_next_deadline(home_, cell_, now_ns)) return;
  // There is no timer for the others: better an end now than none.
  while (runs() && internal::has_due_ask(cell_, ~std::uint64_t{0}))
    end_first_ask(ask_failure::refused, now_ns);
}

void long_way::end_first_ask(ask_failure why_none, std::uint64_t now_ns) noexcept {
  cell_.current = nullptr;
  here_.handling.store(nullptr, relaxed);  // relaxed: a hint
  failure why;
  if (internal::end_first_ask(here_, cell_, why_none, now_ns, why) == call_result::failed)
    fail(nullptr, why);
}

void long_way::tell_of_idling(std::uint64_t now_ns) noexcept {
  if (!runs()) return internal::defer_idling(cell_);
  const auto timeout = internal::look_at_idling(home_, cell_, now_ns);
  if (!timeout) return;
  local_letter<receive_timeout> letter{receive_timeout{*timeout}, cell_.tenant};
  receive(letter.head);
}

// Messages of users.

turn_step long_way::nothing_left() noexcept {
  const bool suspended = !cell_.reasons.empty();
  if (cell_.stage == life_stage::draining && !suspended)
    return as_step(end_drained(home_, here_, cell_));
  if (cell_.wanted.note_activity) internal::note_activity(home_, cell_);
  if (suspended) {  // before it is parked: then it is somebody else's
    reason_ = cell_.reasons.first();
    resume_on_ = internal::condition_of(cell_);
  }
  if (cell_.reader.park(cell_.box)) return suspended ? step::suspended : step::parked;
  tidy_up();
  return step::go_on;
}

/// Takes away what late senders to an earlier tenant have left where this one does not look.
void long_way::tidy_up() noexcept {
  if (lane_of(cell_) == nullptr && cell_.box.peek().in_lane()) cell_.reader.forget_lane(cell_.box);
}

/// What lies in the queue beside the lane: what the runtime owes the actor, which goes past all
/// limits, and what late senders to an earlier tenant have left there.
turn_step long_way::take_strays() noexcept {
  envelope_chain strays = cell_.reader.take_strays(cell_.box);
  while (envelope* const e = strays.pop()) {
    leave_mailbox(cell_, *e);
    if (cell_.wanted.stop || !take_stray(*e))
      end_as_dead_letter(here_, &cell_, *e, drop_reason::stopped);
  }
  return cell_.wanted.stop ? stop(nullptr) : step::go_on;
}

/// Returns: false if nobody wants it.
bool long_way::take_stray(envelope& e) noexcept {
  if (e.kind != envelope_kind::answer || !go_on_with(e)) return false;
  discard_envelope(here_, e);
  return true;
}

turn_step long_way::pass_through(envelope& e) noexcept {
  leave_mailbox(cell_, e);
  if (e.kind == envelope_kind::answer) return handle_answer(e);
  if (e.generation != cell_.tenant) return pass_over(e);
  if (e.kind == envelope_kind::timer) return handle_timer(e);
  ++handled_;
  receive(e);
  return finish(e);
}

void long_way::receive(envelope& e) noexcept {
  failure why;
  cell_.current = &e;
  here_.handling.store(e.operations, relaxed);  // relaxed: a hint
  const call_result said = cell_.type->receive(cell_.object, context_of(cell_), e, why);
  if (said != call_result::done) return settle(said, e, why);
  const bool counts = e.kind != envelope_kind::system && !e.operations->ignored_by_receive_timeout;
  if (counts) cell_.active = true;
}

/// A message was handled: it ends, and is left.
turn_step long_way::finish(envelope& e) noexcept {
  if (e.operations->destroy != nullptr) e.operations->destroy(payload_of(e));
  const step s = leave(e);
  free_envelope(here_, e);
  return s;
}

/// The envelope is the job's, and goes on being a link of the mailbox until it is left: only then is
/// the job told that its run is over, for it may be queued again at once.
turn_step long_way::handle_timer(envelope& e) noexcept {
  timer_letter& letter = timer_letter::of(e);
  timer_job& job = letter.job();
  job.hold();
  const std::optional<execution_batch> batch = job.begin();
  if (batch) {
    ++handled_;
    letter.batch = *batch;
    job.take_into(*batch, payload_of(e));
    receive(e);
    if (e.operations->destroy != nullptr) e.operations->destroy(payload_of(e));
  }
  const step s = leave(e);
  if (batch) job.finish({});  // a failing handler is the actor's failure, not the job's
  job.let_go();
  return s;
}

turn_step long_way::handle_answer(envelope& e) noexcept {
  return go_on_with(e) ? finish(e) : pass_over(e);
}

/// Calls the continuation that waits for it. There is no current message: it has been handled.
/// Returns: false if none does.
bool long_way::go_on_with(envelope& answer) noexcept {
  if (internal::is_overdue_note(cell_, answer)) {
    end_due_asks(home_.now_ns());
    return true;
  }
  cell_.current = nullptr;
  here_.handling.store(answer.operations, relaxed);  // relaxed: a hint
  failure why;
  const call_result said = internal::take_answer(here_, home_, cell_, answer, why);
  if (said == call_result::unhandled) return false;
  ++handled_;
  if (said == call_result::failed) {
    fail(answer.operations, why);
  } else {
    cell_.active = true;
  }
  return true;
}

/// A message for an earlier tenant of the slot. It has to be left before it ends.
turn_step long_way::pass_over(envelope& e) noexcept {
  timer_job* const job = e.kind == envelope_kind::timer ? &timer_letter::of(e).job() : nullptr;
  if (job != nullptr) job->hold();
  const step s = leave(e);
  end_as_dead_letter(here_, &cell_, e, drop_reason::stopped);  // it only says where: type-stable
  if (job != nullptr) job->let_go();
  return s;
}

/// Done with the message in front: on to the next one, or the cell is parked or stopped.
turn_step long_way::leave(envelope& e) noexcept {
  if (cell_.wanted.stop) return stop(&e);
  if (cell_.awaited) internal::look_for_room(here_, cell_);
  evicting_queue* const lane = lane_of(cell_);
  if (cell_.wanted.note_activity) {  // it parks when its activity has been noted
    if (lane == nullptr) {
      cell_.reader.skip(cell_.box, e);
    } else {
      cell_.reader.skip_in_lane();
    }
    return step::go_on;
  }
  const left rest =
      lane == nullptr ? cell_.reader.advance(cell_.box, e) : cell_.reader.advance(cell_.box, *lane);
  return rest == left::parked ? step::parked : step::go_on;
}

}  // namespace tactor::inline v0
