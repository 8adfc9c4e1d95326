// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/turn/slow_path.hpp"

#include "tactor/core/actor/lifecycle/actor_extras.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/lifecycle/pending_asks.hpp"
#include "tactor/core/actor/lifecycle/receive_timeout.hpp"
#include "tactor/core/actor/lifecycle/fault_handling.hpp"
#include "tactor/core/actor/lifecycle/suspension.hpp"
#include "tactor/core/actor/delivery/timer_envelope.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"

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

// Messages of users.

turn_step long_way::nothing_left() noexcept {
  const bool suspended = !cell_.reasons.empty();
  if (cell_.stage == life_stage::draining && !has_to_wait())
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

/// Whether one that drains cannot end yet. Suspended, it waits with what is queued, but not with
/// nothing; held, it goes on to hold its children, and has to be there when they are released.
bool long_way::has_to_wait() noexcept {
  if (cell_.reasons.empty()) return false;
  if (cell_.reasons.has(suspend_reason::failure)) return true;
  evicting_queue* const lane = lane_of(cell_);
  if (lane == nullptr) return cell_.reader.front(cell_.box) != nullptr;
  return cell_.box.peek().newest() != nullptr || cell_.reader.front(cell_.box, *lane) != nullptr;
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
  // A failing handler is the actor's failure, not the job's; a failing copy or factory the job's.
  const run_result made = batch ? job.take_into(*batch, payload_of(e)) : run_result{};
  if (batch && made) {
    ++handled_;
    letter.batch = *batch;
    receive(e);
    if (e.operations->destroy != nullptr) e.operations->destroy(payload_of(e));
  }
  const step s = leave(e);
  if (batch) job.finish(made);
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
