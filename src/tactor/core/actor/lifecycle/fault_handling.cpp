// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/lifecycle/fault_handling.hpp"

#include "tactor/core/actor/cell/system_message_kind.hpp"
#include "tactor/core/actor/cell/system_services.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/lifecycle/actor_extras.hpp"
#include "tactor/core/actor/lifecycle/death_watch.hpp"
#include "tactor/core/actor/lifecycle/lifecycle.hpp"
#include "tactor/core/actor/lifecycle/pending_asks.hpp"
#include "tactor/core/actor/lifecycle/receive_timeout.hpp"
#include "tactor/core/actor/lifecycle/suspension.hpp"

#include <new>

namespace tactor::inline v0::internal {
namespace {

supervision_state* supervision_state_or_null(const cell& c) noexcept {
  return c.extended ? c.extras->faults : nullptr;
}

failure of_a_sibling() noexcept {
  return failure{"a sibling failed"};
}
/// Why it is restarted. One that was given no strategy is only when a sibling says so.
failure failure_of(const cell& c) noexcept {
  const supervision_state* const record = supervision_state_or_null(c);
  return record == nullptr ? of_a_sibling() : record->why;
}

/// What an actor's strategy says about a failure, which it writes down.
verdict judge_failure(system_services& services, cell& c, const failure& why) noexcept {
  supervision_state* const record = supervision_state_or_null(c);
  if (record == nullptr) return {};
  record->why = why;
  record->said =
      judge(record->how, record->past, record->why, services.now_ns(), services.next_random());
  return record->said;
}

// What a parent does to one child.
void apply_directive(cell& child, std::uint32_t generation, directive what) noexcept {
  if (what == directive::stop) return request_stop(child, generation);
  const bool asked = child.request(generation, [what](lifecycle_word was) {
    return what == directive::resume ? was.with_resume_request() : was.with_restart_request();
  });
  if (asked) give_notice(child);
}

/// Requires: the caller may look at the parent's children.
void apply_directive_to_all(cell& parent, directive what) noexcept {
  for (cell* child = parent.first_child; child != nullptr; child = child->next_sibling)
    if (!child->unlisted) apply_directive(*child, child->generation(), what);
}

/// Nobody runs a guardian: its children do themselves what it would do.
void tell_guardian(system_services& services, cell& c, const child_failed& told) noexcept {
  if (told.said.what == directive::escalate) return services.escalated(c, told.in, told.why);
  if (told.said.scope == failure_scope::one_for_one)
    return apply_directive(c, c.tenant, told.said.what);
  services.lock_family();
  apply_directive_to_all(*c.parent, told.said.what);
  services.unlock_family();
}

/// Returns: false if there is no memory for it.
bool tell_parent(system_services& services, thread_record& here, cell& c,
                 const child_failed& told) noexcept {
  cell& parent = *c.parent;
  if (parent.guardian) {
    tell_guardian(services, c, told);
    return true;
  }
  envelope* const e = new_envelope<child_failed>(here);
  if (e == nullptr) return false;
  ::new (payload_of(*e)) child_failed(told);
  e->from = origin::of_actor(c.slot, c.tenant);
  // If it is not taken, the parent stops, and so will this actor.
  if (!post_system_message(parent, parent.generation(), *e, system_message_kind::child_failed))
    discard_envelope(here, *e);
  return true;
}

void suspend_children(cell& c) noexcept {
  for (cell* child = c.first_child; child != nullptr; child = child->next_sibling)
    if (child->request(child->generation(),
                       [](lifecycle_word was) { return was.with_parent_suspension(); }))
      give_notice(*child);
}
void resume_children(cell& c) noexcept {
  for (cell* child = c.first_child; child != nullptr; child = child->next_sibling)
    if (child->request(child->generation(),
                       [](lifecycle_word was) { return was.without_parent_suspension(); }))
      give_notice(*child);
}

void report_hook(system_services& services, cell& c, call_result said,
                 const failure& why) noexcept {
  if (said == call_result::failed) services.failed(c, nullptr, why, {.remark = "in a hook"});
}

/// What happens to the old instance: by its own `pre_restart`, or as it is by default.
void call_pre_restart(system_services& services, thread_record& here, cell& c,
                      const failure& because, bool keep_children) noexcept {
  failure why;
  const actor_type& type = *c.type;
  if (type.pre_restart != nullptr)
    return report_hook(services, c, type.pre_restart(c.object, context_of(c), because, why), why);
  if (!keep_children) {
    internal::unwatch_children(here, c);
    stop_children(c);
  }
  if (type.post_stop != nullptr)
    report_hook(services, c, type.post_stop(c.object, context_of(c), why), why);
}

/// Nobody in the family has failed but a sibling: this actor is kept from its mail all the same.
void fail_with_sibling(system_services& services, thread_record& here, cell& c) noexcept {
  if (supervision_state* const record = supervision_state_or_null(c)) {
    record->why = of_a_sibling();
    record->said = {.what = directive::restart};
    count_with_sibling(record->how, record->past, services.now_ns());
  }
  internal::suspend_for_failure(services, here, c);
  suspend_children(c);
}

void cancel_what_is_due(thread_record& here, cell& c) noexcept {
  internal::end_asks(here, c);
  internal::cancel_receive_timeout(c);
}

void begin_restart(system_services& services, thread_record& here, cell& c) noexcept {
  if (!c.reasons.failed_itself()) fail_with_sibling(services, here, c);
  cancel_what_is_due(here, c);
  enter_stage(c, lifecycle_stage::restarting);
  if (c.object != nullptr) {
    c.current = nullptr;
    here.handling.store(nullptr, relaxed);  // relaxed: a hint
    const supervision_state* const record = supervision_state_or_null(c);
    const bool keep = record != nullptr && record->said.keep_children;
    call_pre_restart(services, here, c, failure_of(c), keep);
    cancel_what_is_due(here, c);  // of the hook
    release_object(here, c);
  }
  continue_restart(services, here, c);
}

/// Whether it has to wait a while. Without a timer it does not: better early than never.
bool waits_for_its_time(system_services& services, cell& c) noexcept {
  const supervision_state* const record = supervision_state_or_null(c);
  if (record == nullptr || record->said.delay == duration{}) return false;
  const std::uint64_t now_ns = services.now_ns();
  const std::uint64_t due_ns = record->past.restarted_ns;
  return now_ns < due_ns &&
         c.extras->deadlines.set(services, c, deadline_of::restart, due_ns, now_ns);
}

/// The child whose failure was escalated fares like its parent.
void recover(cell& c, directive what) noexcept {
  supervision_state* const record = supervision_state_or_null(c);
  if (record == nullptr) return;
  const origin child = std::exchange(record->escalated, {});
  cell* const whom =
      program_memory.cells.find({.slot = child.index(), .generation = child.generation});
  if (whom != nullptr) apply_directive(*whom, child.generation, what);
}

/// The failure has been dealt with: the actor goes on, and with it its children.
void end_failure(system_services& services, thread_record& here, cell& c, directive how) noexcept {
  internal::end_failure(services, here, c);
  recover(c, how);
  if (c.reasons.suspended_by_parent()) {
    suspend_children(c);  // also those that were made meanwhile
  } else {
    resume_children(c);
  }
}

/// What becomes of an actor that fails. One that is ending is not made anew; while it handles what is
/// queued, it may go on as it is.
verdict verdict_on(system_services& services, cell& c, const failure& why) noexcept {
  const bool drains = c.stage == lifecycle_stage::draining;
  if (!c.wanted.stop && c.stage != lifecycle_stage::stopping && c.parent != nullptr) {
    const verdict said = judge_failure(services, c, why);
    if (!drains || said.what == directive::resume) return said;
  }
  return {.remark = "it was ending already"};
}

void fail_now(system_services& services, thread_record& here, cell& c, const message_operations* in,
              const failure& why) noexcept {
  const verdict said = verdict_on(services, c, why);
  services.failed(c, in, why, said);
  if (said.what == directive::stop && said.scope == failure_scope::one_for_one) {
    c.wanted.stop = true;  // nobody has to be asked for that
    return;
  }
  // Its parent may be waiting for it to end, and would not answer.
  if (c.stage == lifecycle_stage::draining) return recover(c, directive::resume);
  internal::suspend_for_failure(services, here, c);
  suspend_children(c);
  // If the decider failed, that is what the parent is told.
  if (!tell_parent(services, here, c, {.said = said, .in = in, .why = failure_of(c)}))
    c.wanted.stop = true;
}

/// The instance could not start: it is gone, and what it has begun, too. `older` is the newest of the
/// children that were there before.
void fail_to_start(system_services& services, thread_record& here, cell& c, const cell* older,
                   const failure& why) noexcept {
  cancel_what_is_due(here, c);
  release_object(here, c);
  enter_stage(c, lifecycle_stage::starting);
  for (cell* child = c.first_child; child != older; child = child->next_sibling) {
    (void)internal::unwatch(here, c, {child, child->generation()});
    request_stop(*child, child->generation());
  }
  fail_now(services, here, c, nullptr, why);
}

/// Whether it has children that were stopped and are not gone. Until then their names are taken.
bool waits_for_children(const cell& c) noexcept {
  for (const cell* child = c.first_child; child != nullptr; child = child->next_sibling) {
    const lifecycle_word lifecycle{
        child->lifecycle.load(relaxed)};  // relaxed: it gives notice when it is gone
    if (lifecycle.stop_requested() || !lifecycle.occupied()) return true;
  }
  return false;
}

}  // namespace

void fail(system_services& services, thread_record& here, cell& c, const message_operations* in,
          const failure& why) noexcept {
  if (c.reasons.failed_itself())
    return services.failed(c, in, why, {.remark = "it has failed already"});
  fail_now(services, here, c, in, why);
}

void start(system_services& services, thread_record& here, cell& c) noexcept {
  failure why;
  if (start_instance(here, c, nullptr, why) != call_result::done)
    fail_to_start(services, here, c, nullptr, why);
}

void handle_child_failure(system_services& services, thread_record& here, cell& parent,
                          envelope& e) noexcept {
  const child_failed told = *static_cast<child_failed*>(payload_of(e));
  const origin from = e.from;
  discard_envelope(here, e);
  cell* const child =
      program_memory.cells.find({.slot = from.index(), .generation = from.generation});
  if (child == nullptr) return;
  // A parent that stops because it was drained waits for its children: one that failed would wait, too.
  if (parent.stage == lifecycle_stage::stopping)
    return apply_directive(*child, from.generation, directive::stop);
  if (told.said.what == directive::escalate) {
    // A parent that has failed already cannot do it once more. Its child is not given notice of this:
    // it is restarted when it is released, not again and again while its parent waits.
    if (parent.reasons.failed_itself()) {
      (void)child->request(from.generation,
                           [](lifecycle_word was) { return was.with_restart_request(); });
      return;
    }
    if (supervision_state* const record = supervision_state_or_null(parent))
      record->escalated = from;
    return fail(services, here, parent, told.in, told.why);
  }
  if (told.said.scope == failure_scope::all_for_one) {
    apply_directive_to_all(parent, told.said.what);
  } else {
    apply_directive(*child, from.generation, told.said.what);
  }
}

void follow_directive(system_services& services, thread_record& here, cell& c,
                      lifecycle_word lifecycle) noexcept {
  if (!lifecycle.restart_requested() && !lifecycle.resume_requested()) return;
  (void)c.request(c.tenant,
                  [lifecycle](lifecycle_word was) { return was.without_directive(lifecycle); });
  if (c.stage == lifecycle_stage::draining) return;
  if (lifecycle.restart_requested() || c.object == nullptr) return begin_restart(services, here, c);
  end_failure(services, here, c, directive::resume);
}

void continue_restart(system_services& services, thread_record& here, cell& c) noexcept {
  if (c.stage != lifecycle_stage::restarting) return;
  if (waits_for_children(c) || waits_for_its_time(services, c)) return;
  c.children_stopped = false;
  if (c.extended) c.extras->deadlines.cancel_with_timer(deadline_of::restart);
  // What the old instance waited for is over; the new one may suspend itself anew.
  internal::resume(services, here, c, suspend_reason::await_external, 0);
  const failure because = failure_of(c);
  const cell* const kept = c.first_child;
  failure why;
  if (start_instance(here, c, &because, why) != call_result::done) {
    return fail_to_start(services, here, c, kept, why);  // a failure like any other, and it counts
  }
  services.restarted(c);
  end_failure(services, here, c, directive::restart);
}

void follow_parent(system_services& services, thread_record& here, cell& c,
                   lifecycle_word lifecycle) noexcept {
  if (lifecycle.suspended_by_parent() == c.reasons.suspended_by_parent()) return;
  if (lifecycle.suspended_by_parent()) {
    internal::suspend_by_parent(services, here, c);
    suspend_children(c);
  } else {
    internal::resume_from_parent(services, here, c);
    if (!c.reasons.failed_itself()) resume_children(c);
  }
}

}  // namespace tactor::inline v0::internal
