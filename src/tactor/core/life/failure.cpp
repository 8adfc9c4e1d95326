// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/life/failure.hpp"

#include "tactor/core/cell/lifecycle_word.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/start_stop.hpp"
#include "tactor/core/life/stash.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/runtime_memory.hpp"

#include <new>

// THE RULES
//
// 1. An actor that fails judges its failure by its own strategy, which says stop, restart, resume
//    or escalate, for the actor alone or for it and its siblings. Without a strategy it stops.
// 2. An actor that stops alone needs nobody. Every other directive is for its parent to apply: the
//    actor is suspended with its children, and its parent is told with `child_failed`.
// 3. The parent applies the directive to the child, or to all its children. Escalated, the failure
//    becomes the parent's own. A guardian has no turns, so that its child acts in its place.
// 4. The child follows the directive. To resume, it goes on with its instance. To restart, it
//    cancels what it waits for, calls `pre_restart`, destroys the instance, waits until its stopped
//    children are gone and its back-off is over, and builds a new one.
// 5. When an actor has recovered, so have its children, and those whose failures it took over get
//    the directive that it got.
// 6. Each failure of an instance that starts counts as any other. A failure of a suspended actor
//    does not: it is reported, and the directive of the first failure applies.
// 7. An actor that stops is not restarted. An actor that drains may only be resumed.
//
// So a failure crosses three turns, and this file has a section for each, in the order of the
// calls. A program without strategies has rule 1 only: `supervision_feature` is the rest.
namespace tactor::inline v0::internal {
namespace {

// The child fails.
bool tell_parent(const turn_context&, const child_failed&) noexcept;
void act_for_guardian(const turn_context&, const child_failed&) noexcept;
// The parent applies the directive.
void apply_directive_to_all(cell& parent, directive) noexcept;
void apply_directive(cell& child, std::uint32_t generation, directive) noexcept;
// The child follows the directive.
void follow_parent(const turn_context&, lifecycle_word) noexcept;
bool drain_ends_it(const cell&) noexcept;
void follow_directive(const turn_context&, lifecycle_word) noexcept;
void begin_restart(const turn_context&) noexcept;
void fail_with_sibling(const turn_context&) noexcept;
void call_pre_restart(const turn_context&, const failure&, bool) noexcept;
void continue_restart(const turn_context&) noexcept;
bool waits_for_children(const cell&) noexcept;
bool waits_for_its_time(const turn_context&) noexcept;
void end_failure(const turn_context&, directive) noexcept;
void recover(cell&, directive) noexcept;

failure of_a_sibling() noexcept {
  return failure{"restarted with a sibling, or by request"};
}
/// Why the actor is restarted. An actor without a strategy restarts only with a sibling.
failure failure_of(const cell& c) noexcept {
  const supervision_state* const record = supervision_state_or_null(c);
  return record == nullptr ? of_a_sibling() : record->why;
}

bool drain_requested(const cell& c) noexcept {
  // relaxed: a request that comes later is handled after the failure
  return lifecycle_word{c.lifecycle.load(relaxed)}.drain_requested();
}
void suspend_children(cell& c) noexcept {
  for (cell* child = c.first_child; child != nullptr; child = child->next_sibling)
    post_request(*child, child->generation(), &lifecycle_word::with_parent_suspension);
}
void resume_children(cell& c) noexcept {
  for (cell* child = c.first_child; child != nullptr; child = child->next_sibling)
    post_request(*child, child->generation(), &lifecycle_word::without_parent_suspension);
}

// The child fails: it judges, suspends itself and its children, and tells its parent.

/// Judges the failure by the actor's strategy and records both. An actor that is ending is not
/// restarted; if it was asked to drain, it may be resumed.
verdict judge_failure(system_services& services, cell& c, const failure& why,
                      failed_in during) noexcept {
  const bool drains = drain_requested(c);
  if (!c.wanted.stop && c.stage != lifecycle_stage::stopping && c.parent != nullptr) {
    verdict said;
    supervision_state* const record = supervision_state_or_null(c);
    const restart_history past = record == nullptr ? restart_history{} : record->past;
    if (record != nullptr)
      said = program_features().supervision->judge(services, *record, why, during);
    if (!drains || said.what == directive::resume) return said;
    if (record != nullptr) record->past = past;  // a restart that does not come does not count
  }
  return {.remark = "already stopping"};
}

/// Returns: the verdict for an actor that fails again before it has recovered: the directive of its
/// earlier failure, or the restart that it follows. Without a strategy it is restarted with a
/// sibling.
verdict earlier_verdict(const cell& c) noexcept {
  const supervision_state* const record = supervision_state_or_null(c);
  const bool restarts = record == nullptr || c.stage == lifecycle_stage::restarting;
  return {.what = restarts ? directive::restart : record->said.what, .remark = "already failed"};
}

void fail_now(const turn_context& in, const message_operations* message,
              const failure& why) noexcept {
  cell& c = in.actor;
  const bool ends_anyway = c.wanted.stop || c.stage == lifecycle_stage::stopping;
  c.failed = !ends_anyway;
  const failed_in during = message == nullptr ? failed_in::start : failed_in::message;
  const verdict said = judge_failure(in.system, c, why, during);
  in.thread.failures = {.why = why, .retry_after = said.delay};
  report_failure(in.system, c, message, why, said);
  if (said.what == directive::stop && said.scope == failure_scope::one_for_one) {
    c.wanted.stop = true;  // needs no parent
    return;
  }
  program_features().supervision->wait_for_directive(in, message, said);
}

}  // namespace

void report_failure(system_services& system, cell& who, const message_operations* in,
                    const failure& why, const verdict& said) noexcept {
  system.count(&worker_counters::failures);
  if (system.reports != nullptr) system.reports->failed(who, in, why, said);
}

void fail(const turn_context& in, const message_operations* message, origin asker,
          const failure& why) noexcept {
  cell& c = in.actor;
  const failure kept = why;  // of the thread, perhaps: another failure may overwrite it
  if (c.reasons.failed_itself()) {
    report_failure(in.system, c, message, kept, earlier_verdict(c));
  } else {
    fail_now(in, message, kept);
  }
  refuse_answer(in.thread, asker, ask_failure::target_failed);
}

void fail_to_start(const turn_context& in, const cell* older, const failure& why) noexcept {
  cell& c = in.actor;
  const failure kept = why;  // as above
  cancel_pending(in.thread, c);
  release_object(in.thread, c);
  enter_stage(c, lifecycle_stage::starting);
  for (cell* child = c.first_child; child != older; child = child->next_sibling) {
    if (const auto* const watches = program_features().watches)
      (void)watches->end_one(in.thread, c, {child, child->generation()});
    request_stop(*child, child->generation());
  }
  fail_now(in, nullptr, kept);
}

namespace {

/// Tells whether the settings of a strategy make sense.
bool is_valid_strategy(const supervision& how) noexcept {
  return complaint_about(how) == nullptr;
}

/// Gives an actor a strategy. Returns: false if there is no memory.
bool give_strategy(thread_record& here, cell& to, const supervision& how) noexcept {
  actor_parts* const parts = parts_of(here, to);
  if (parts == nullptr) return false;
  parts->faults = new_record<supervision_state>(here);
  if (parts->faults == nullptr) return false;
  parts->faults->how = how;
  return true;
}

/// Judges a failure, and records both.
verdict judge_by_strategy(system_services& services, supervision_state& record, const failure& why,
                          failed_in during) noexcept {
  record.why = why;
  record.said =
      judge(record.how, record.past, record.why, services.now_ns(), services.next_random(), during);
  return record.said;
}

/// Suspends the failed actor until its parent has applied the directive.
void wait_for_directive(const turn_context& in, const message_operations* message,
                        const verdict& said) noexcept {
  cell& c = in.actor;
  // The parent of an actor that drains, or is to drain, may be waiting for its end: it is not
  // asked.
  if (said.what == directive::resume && c.object != nullptr && drain_requested(c))
    return recover(c, directive::resume);
  suspend_for(in, suspend_reason::failure);
  suspend_children(c);
  // If the decider failed, the parent is told the decider's failure.
  if (!tell_parent(in, {.said = said, .in = message, .why = failure_of(c)})) c.wanted.stop = true;
}

/// Returns: false if there is no memory for the system message.
bool tell_parent(const turn_context& in, const child_failed& told) noexcept {
  cell& c = in.actor;
  cell& parent = *c.parent;
  if (parent.guardian) {
    act_for_guardian(in, told);
    return true;
  }
  envelope* const e = new_envelope<child_failed>(in.thread);
  if (e == nullptr) return false;
  ::new (payload_of(*e)) child_failed(told);
  e->from = origin::of_actor(c.slot, c.tenant);
  // If it is refused, the parent is stopping, and will stop this actor.
  if (!post_system_message(parent, parent.generation(), *e, system_message_kind::child_failed))
    discard_envelope(in.thread, *e);
  return true;
}

/// A guardian has no turns: its child applies the directive in its place.
void act_for_guardian(const turn_context& in, const child_failed& told) noexcept {
  cell& c = in.actor;
  if (told.said.what == directive::escalate) return in.system.escalated(c, told.in, told.why);
  if (told.said.scope == failure_scope::one_for_one)
    return apply_directive(c, c.tenant, told.said.what);
  in.system.lock_family();
  apply_directive_to_all(*c.parent, told.said.what);
  in.system.unlock_family();
}

// The parent applies the directive: to the child, to all its children, or it fails itself.

/// Takes the system message `child_failed` and applies its directive. Consumes `e`.
void handle_child_failure(const turn_context& in, envelope& e) noexcept {
  cell& parent = in.actor;
  const child_failed told = *static_cast<child_failed*>(payload_of(e));
  const origin from = e.from;
  discard_envelope(in.thread, e);
  cell* const child =
      program_memory.cells.find({.slot = from.index(), .generation = from.generation});
  if (child == nullptr) return;
  // A parent that drained and now stops waits for its children, and a failed child waits for a
  // directive: so the child gets one now. A child to be resumed drains (if the parent did not
  // drain, the child has been asked to stop).
  const bool is_resumed = told.said.what == directive::resume;
  if (parent.stage == lifecycle_stage::stopping)
    return apply_directive(*child, from.generation, is_resumed ? told.said.what : directive::stop);
  if (told.said.what == directive::escalate) {
    // Only the bit is set: with a notice a child that fails to start would restart again and again
    // while its parent waits. A parent that has already failed cannot fail again: the child gets
    // the directive for the first failure.
    (void)child->request(from.generation, &lifecycle_word::with_escalation);
    if (parent.reasons.failed_itself()) return;
    return fail(in, told.in, {}, told.why);
  }
  if (told.said.scope == failure_scope::all_for_one) {
    apply_directive_to_all(parent, told.said.what);
  } else {
    apply_directive(*child, from.generation, told.said.what);
  }
}

/// Requires: the caller may read the parent's list of children.
void apply_directive_to_all(cell& parent, directive what) noexcept {
  for (cell* child = parent.first_child; child != nullptr; child = child->next_sibling)
    if (!child->unlisted) apply_directive(*child, child->generation(), what);
}

void apply_directive(cell& child, std::uint32_t generation, directive what) noexcept {
  switch (what) {
  case directive::stop:
    return request_stop(child, generation);
  case directive::resume:
    return post_request(child, generation, &lifecycle_word::with_resume_request);
  case directive::escalate:  // callers have made the parent fail instead
  case directive::restart:
    return post_request(child, generation, &lifecycle_word::with_restart_request);
  }
}

// The child follows the directive: it resumes, or it restarts once its stopped children are gone
// and its back-off is over.

/// Follows what the parent wants. Returns: false if the actor ends instead, because it failed and
/// was asked to drain.
bool follow_directives(const turn_context& in, lifecycle_word lifecycle) noexcept {
  follow_parent(in, lifecycle);
  if (lifecycle.drain_requested() && drain_ends_it(in.actor)) return false;
  follow_directive(in, lifecycle);
  continue_restart(in);
  return true;
}

/// The parent has failed, or has recovered.
void follow_parent(const turn_context& in, lifecycle_word lifecycle) noexcept {
  cell& c = in.actor;
  suspend_reasons reasons = c.reasons.all();
  if (lifecycle.suspended_by_parent() == reasons.suspended_by_parent()) return;
  if (lifecycle.suspended_by_parent()) {
    reasons.suspend_by_parent();
    set_reasons(in, reasons);
    suspend_children(c);
  } else {
    reasons.resume_from_parent();
    set_reasons(in, reasons);
    if (!reasons.failed_itself()) resume_children(c);
  }
}

/// Tells whether the actor has failed, and no instance will handle what is queued: it is not
/// restarted for a drain. An actor that waits to be resumed has its instance.
bool drain_ends_it(const cell& c) noexcept {
  if (!c.reasons.failed_itself()) return false;
  const supervision_state* const record = supervision_state_or_null(c);
  return c.object == nullptr || record == nullptr || record->said.what != directive::resume;
}

void follow_directive(const turn_context& in, lifecycle_word lifecycle) noexcept {
  cell& c = in.actor;
  if (!lifecycle.restart_requested() && !lifecycle.resume_requested()) return;
  (void)c.request(c.tenant,
                  [lifecycle](lifecycle_word was) { return was.without_directive(lifecycle); });
  // A sibling failed, but this actor drains.
  if (lifecycle.drain_requested() && !c.reasons.failed_itself()) return;
  if (lifecycle.restart_requested()) return begin_restart(in);
  if (c.object != nullptr) return end_failure(in, directive::resume);
  // It failed to start: there is nothing to resume, so that this counts as a restart.
  if (supervision_state* const record = supervision_state_or_null(c)) ++record->past.restarts;
  begin_restart(in);
}

void begin_restart(const turn_context& in) noexcept {
  cell& c = in.actor;
  if (!c.reasons.failed_itself()) fail_with_sibling(in);
  cancel_pending(in.thread, c);
  enter_stage(c, lifecycle_stage::restarting);
  if (c.object != nullptr) {
    in.thread.handling.store(nullptr, relaxed);  // relaxed: a hint
    const supervision_state* const record = supervision_state_or_null(c);
    const bool keep = record != nullptr && record->said.keep_children;
    call_pre_restart(in, failure_of(c), keep);
    cancel_pending(in.thread, c);  // begun by the hook
    release_object(in.thread, c);
  }
}

/// A sibling failed, and this actor is restarted with it: it is suspended all the same.
void fail_with_sibling(const turn_context& in) noexcept {
  if (supervision_state* const record = supervision_state_or_null(in.actor)) {
    record->why = of_a_sibling();
    record->said = {.what = directive::restart,
                    .keep_children = record->how.limits().keep_children};
    count_with_sibling(record->how, record->past, in.system.now_ns());
  }
  suspend_for(in, suspend_reason::failure);
  suspend_children(in.actor);
}

/// Calls the old instance's `pre_restart`, or does what that does by default.
void call_pre_restart(const turn_context& in, const failure& because, bool keep_children) noexcept {
  cell& c = in.actor;
  failure why;
  const actor_type& type = running_type(c);
  call_result said = call_result::done;
  if (type.pre_restart != nullptr) {
    said = type.pre_restart(c.object, context_of(c), because, why);
  } else {
    if (!keep_children) {
      if (const auto* const watches = program_features().watches)
        watches->end_of_children(in.thread, c);
      stop_children(c);
    }
    if (type.post_stop != nullptr) said = type.post_stop(c.object, context_of(c), why);
  }
  if (said == call_result::failed)
    report_failure(in.system, c, nullptr, why, {.what = directive::restart, .remark = "in a hook"});
}

/// Goes on with a restart, if one is under way and nothing it waits for is missing.
void continue_restart(const turn_context& in) noexcept {
  cell& c = in.actor;
  if (c.stage != lifecycle_stage::restarting) return;
  if (waits_for_children(c) || waits_for_its_time(in)) return;
  c.children_stopped = false;
  if (c.extended) c.parts->deadlines.cancel_with_timer(deadline_of::restart);
  // What the old instance waited for is over; the new instance may suspend itself again.
  resume(in, suspend_reason::await_external, 0);
  const failure because = failure_of(c);
  const cell* const kept = c.first_child;
  failure why;
  if (start_instance(in.thread, c, &because, why) != call_result::done)
    return fail_to_start(in, kept, why);  // counted like any other failure
  in.system.count(&worker_counters::restarts);
  if (in.system.reports != nullptr) in.system.reports->restarted(c);
  const stash_functions* const stash = program_features().stash;
  if (stash != nullptr && c.extended) stash->replay_after_restart(c);
  end_failure(in, directive::restart);
}

/// Tells whether stopped children are not gone yet. Until then their names are taken.
bool waits_for_children(const cell& c) noexcept {
  for (const cell* child = c.first_child; child != nullptr; child = child->next_sibling) {
    const lifecycle_word lifecycle{
        child->lifecycle.load(relaxed)};  // relaxed: it gives notice when it is gone
    if (lifecycle.stop_requested() || !lifecycle.occupied()) return true;
  }
  return false;
}

/// Tells whether the back-off is not over. Without a timer it is: better early than never.
bool waits_for_its_time(const turn_context& in) noexcept {
  cell& c = in.actor;
  const supervision_state* const record = supervision_state_or_null(c);
  if (record == nullptr || record->said.delay == duration{}) return false;
  const std::uint64_t now_ns = in.system.now_ns();
  const std::uint64_t due_ns = record->past.restarted_ns;
  return now_ns < due_ns &&
         c.parts->deadlines.set(in.system, c, deadline_of::restart, due_ns, now_ns);
}

/// The actor has recovered: it resumes, and with it its children.
void end_failure(const turn_context& in, directive how) noexcept {
  cell& c = in.actor;
  end_suspension(in, suspend_reason::failure);
  recover(c, how);
  if (c.reasons.suspended_by_parent()) {
    suspend_children(c);  // also children spawned since
  } else {
    resume_children(c);
  }
}

/// The children whose failures this actor took over get the directive that this actor got.
void recover(cell& c, directive what) noexcept {
  c.failed = false;
  for (cell* child = c.first_child; child != nullptr; child = child->next_sibling) {
    const lifecycle_word lifecycle{
        child->lifecycle.load(relaxed)};  // relaxed: this actor set the bit
    if (!lifecycle.escalated()) continue;
    (void)child->request(lifecycle.generation(), &lifecycle_word::without_escalation);
    apply_directive(*child, lifecycle.generation(), what);
  }
}

}  // namespace

const supervision_functions supervision_feature{.is_valid = is_valid_strategy,
                                                .give = give_strategy,
                                                .judge = judge_by_strategy,
                                                .wait_for_directive = wait_for_directive,
                                                .follow_directives = follow_directives,
                                                .handle_child_failure = handle_child_failure,
                                                .go_on_with_restart = continue_restart};

}  // namespace tactor::inline v0::internal
