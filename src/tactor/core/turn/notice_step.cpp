// SPDX-License-Identifier: BSL-1.0
// What the runtime wants of an actor: that it starts, its requests, system messages and deadlines.
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_deadlines.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/actor_tasks.hpp"
#include "tactor/core/life/death_watch.hpp"
#include "tactor/core/life/failure.hpp"
#include "tactor/core/life/receive_timeout.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/send.hpp"
#include "tactor/core/send/timer_envelope.hpp"
#include "tactor/core/send/traced_messages.hpp"
#include "tactor/core/turn/turn.hpp"

#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {

turn_step turn::start_actor() noexcept {
  start(*this);
  failed_ = failed_ || actor.object == nullptr;
  return actor.wanted.stop ? stop(nullptr) : turn_step::continue_turn;
}

turn_step turn::handle_notice() noexcept {
  called_ = false;
  actor.reader.take_notice(actor.box);
  const turn_step requested = step_after(handle_requests(*this));
  if (requested != turn_step::continue_turn) return requested;
  if (actor.wanted.stop) return stop(nullptr);  // a restart has failed
  const turn_step went = handle_system_mail(next_system_mail());
  // System messages that the actor's own code has caused always go before the next message of a
  // user, and so do those that are left.
  message_is_due_ = budget_.takes_turns() && !called_ && !has_deferred_mail();
  return went;
}

// System messages.

turn_step turn::handle_system_mail(envelope_chain mail) noexcept {
  turn_step went = turn_step::continue_turn;
  while (!mail.empty()) {
    const bool enough = !budget_.allows_system_message();
    if (enough && went == turn_step::continue_turn && defer_system_mail(mail)) break;
    envelope* const e = mail.pop();
    release_system_permit(actor, *e);
    // Once the actor has ended, the cell may have another tenant.
    const bool wanted = went == turn_step::continue_turn && e->generation == actor.tenant;
    if (!wanted) {
      end_system_message(thread, actor, *e);
      continue;
    }
    handle_system_message(*e);
    if (actor.wanted.stop) went = stop(nullptr);
  }
  if (went != turn_step::continue_turn) return went;
  if (const auto* const watches = program_features().watches) watches->deliver_deferred(*this);
  if (actor.wanted.stop) return stop(nullptr);
  warn_of_flood();
  return went;
}

/// Returns: the system messages that the last step left, else those in the mailbox.
envelope_chain turn::next_system_mail() noexcept {
  actor_parts* const parts = parts_or_null(actor);
  envelope_chain left = parts == nullptr ? envelope_chain{} : std::exchange(parts->system_mail, {});
  if (left.empty()) return actor.reader.take_system(actor.box);
  (void)actor.box.give_notice();  // for those that came since; the cell is running
  return left;
}

/// Keeps system messages for the next step. Returns: false if there is no memory for that.
bool turn::defer_system_mail(envelope_chain rest) noexcept {
  actor_parts* const parts = internal::parts_of(thread, actor);
  if (parts == nullptr) return false;
  parts->system_mail = rest;
  (void)actor.box.give_notice();  // the cell is running
  return true;
}

/// Returns: whether system messages or terminations are left for the next step.
bool turn::has_deferred_mail() const noexcept {
  const actor_parts* const parts = parts_or_null(actor);
  return parts != nullptr && !(parts->system_mail.empty() && parts->deferred.empty());
}

/// Warns, once for each flood, of an actor that has system messages left after so many steps.
void turn::warn_of_flood() noexcept {
  constexpr std::uint32_t many = 1024;
  if (!actor.extended) return;
  std::uint32_t& steps = actor.parts->system_steps;
  if (!actor.box.peek().noticed()) {
    steps = 0;
  } else if (steps < many) {
    ++steps;
    if (steps < many) return;
    system.misused(actor, "system messages (signals, suspend, resume, watch) come faster than "
                          "the actor handles them, and its messages wait: send fewer");
  }
}

void turn::handle_system_message(envelope& e) noexcept {
  budget_.use_system_message();
  if (thread.counters != nullptr) thread.counters->system_messages_handled.add(1);
  if (e.kind == envelope_kind::timer) return program_features().deadlines->handle(*this, e);
  const system_message_kind what = kind_of(e);
  const bool has_own_span =
      what == system_message_kind::message || what == system_message_kind::terminated;
  if (has_own_span) return apply_system_message(e, what);
  const call_span span{thread, actor, e};
  apply_system_message(e, what);
}

void turn::apply_system_message(envelope& e, system_message_kind what) noexcept {
  switch (what) {
  case system_message_kind::suspension_command:
    if (actor.stage != lifecycle_stage::stopping)
      program_features().suspension->apply(
          *this, *static_cast<internal::suspension_command*>(payload_of(e)));
    return discard_envelope(thread, e);
  case system_message_kind::child_failed: {
    const bool had_failed = actor.reasons.failed_itself() || actor.wanted.stop;
    program_features().supervision->handle_child_failure(*this, e);
    failed_ = failed_ || (!had_failed && (actor.reasons.failed_itself() || actor.wanted.stop));
    return;
  }
  case system_message_kind::watch:
    // A watcher that comes while the actor stops is told with the others.
    return program_features().watches->take(thread, actor, e);
  case system_message_kind::unwatch:
    return program_features().watches->take_end(thread, actor, e);
  case system_message_kind::terminated:
    return program_features().watches->deliver(*this, e);
  case system_message_kind::capacity_available:
    return program_features().suspension->take_capacity(*this, e);
  case system_message_kind::permit:
    return program_features().outboxes->take_permit(*this, e);
  case system_message_kind::answer: {
    actor_tasks* const tasks = tasks_of(actor);
    if (tasks == nullptr) return program_features().asks->end_late(thread, e);
    if (tasks->take_answer(*this, e)) ++handled_;
    return;
  }
  case system_message_kind::wait_walk:
    return program_features().wait_walks->go_on(*this, e);
  case system_message_kind::message:
    break;
  }
  if (actor.object == nullptr || actor.stage == lifecycle_stage::stopping)
    return end_system_message(thread, actor, e);
  // A message for an actor that drains, which refuses others: see `send_reserved`.
  if (e.kind != envelope_kind::system) return actor.reader.push_own(actor.box, e);
  receive_taken(e);
}

// Terminations of watched actors.

void turn::deliver_terminated(envelope& e) noexcept {
  actor_parts* const parts = parts_or_null(actor);
  if (parts == nullptr) return discard_envelope(thread, e);
  parts->deferred.push(e);
  deliver_deferred_terminated();
}

void turn::deliver_deferred_terminated() noexcept {
  while (runs() && !is_in_task(actor) && actor.extended && !actor.parts->deferred.empty()) {
    if (!budget_.allows_system_message()) {
      (void)actor.box.give_notice();  // the rest in the next step; the cell is running
      return;
    }
    budget_.use_system_message();
    deliver_one_terminated(*actor.parts->deferred.pop());
  }
}

void turn::deliver_one_terminated(envelope& e) noexcept {
  const internal::terminated_notice notice = internal::take_terminated(thread, actor, e);
  if (!notice.wanted) return;
  if (notice.told != nullptr) {
    // As `terminated` is: it was never sent, so that it is no message of a user.
    notice.told->kind = envelope_kind::system;
    return receive_taken(*notice.told);
  }
  stack_envelope<terminated> message{terminated{.who = notice.who, .why = notice.why},
                                     actor.tenant};
  message.head.from =
      notice.who ? origin::of_actor(notice.who.slot()->slot, notice.who.generation()) : origin{};
  receive_notification(message.head);
}

const watch_functions watch_feature{.take = take_watch,
                                    .take_end = take_unwatch,
                                    .give_back = return_to_watcher,
                                    .deliver = call_member<&turn::deliver_terminated>,
                                    .deliver_deferred =
                                        call_member<&turn::deliver_deferred_terminated>,
                                    .end_one = unwatch,
                                    .end_of_children = unwatch_children,
                                    .end = end_watches};

// Deadlines.

void turn::handle_deadline_timer(envelope& e) noexcept {
  timer_job& job = timer_envelope::of(e).job();
  if (!job.begin()) return;
  if (actor.extended) actor.parts->deadlines.timer_fired();
  job.finish({});  // first: the next timer of the actor can have its memory
  if (!actor.extended) return;
  actor_deadlines& deadlines = actor.parts->deadlines;
  const std::uint64_t now_ns = system.now_ns();
  while (const auto due = deadlines.poll_expired(now_ns)) {
    if (actor.wanted.stop || actor.stage == lifecycle_stage::stopping) return;
    handle_deadline(*due, now_ns);
  }
  if (actor.wanted.stop || deadlines.rearm(system, actor, now_ns)) return;
  system.misused(actor, "no memory for the actor's timer: asks, receive timeout, back-off and "
                        "suspensions will not time out");
}

void turn::handle_deadline(deadline_of what, std::uint64_t now_ns) noexcept {
  const auto resume = [&](suspend_reason reason) {
    program_features().suspension->resume_in_time(*this, reason);
  };
  switch (what) {
  case deadline_of::asks:
    return program_features().asks->expire(*this, now_ns);
  case deadline_of::receive_timeout:
    return program_features().receive_timeouts->reached(*this, now_ns);
  case deadline_of::long_wait:
    return program_features().wait_walks->look(*this, now_ns);
  case deadline_of::restart:
    return program_features().supervision->go_on_with_restart(*this);
  case deadline_of::await_external:
    return resume(suspend_reason::await_external);
  case deadline_of::rate_limit:
    return resume(suspend_reason::rate_limit);
  case deadline_of::user_defined:
    return resume(suspend_reason::user_defined);
  }
}

const deadline_functions deadline_feature{.handle = call_member<&turn::handle_deadline_timer>,
                                          .end = call_member<&actor_deadlines::cancel_all>};

void turn::deliver_receive_timeout(std::uint64_t now_ns) noexcept {
  if (!runs()) return internal::defer_receive_timeout(actor);
  if (is_in_task(actor)) actor.active = true;  // it goes on after a yield
  const auto timeout = internal::check_receive_timeout(system, actor, now_ns);
  if (!timeout) return;
  stack_envelope<receive_timeout> message{receive_timeout{*timeout}, actor.tenant};
  receive_notification(message.head);
  if (actor.wanted.stop || actor.stage == lifecycle_stage::stopping) return;
  internal::repeat_receive_timeout(system, actor);
}

const receive_timeout_functions receive_timeout_feature{
    .reached = call_member<&turn::deliver_receive_timeout>, .go_on = restart_receive_timeout};

}  // namespace tactor::inline v0::internal
