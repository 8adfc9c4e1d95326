// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/lifecycle/fault_handling.hpp"

#include "tactor/core/actor/lifecycle/actor_extras.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/actor/lifecycle/death_watch.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/cell/system_services.hpp"
#include "tactor/core/actor/lifecycle/lifecycle.hpp"
#include "tactor/core/actor/lifecycle/pending_asks.hpp"
#include "tactor/core/actor/lifecycle/receive_timeout.hpp"
#include "tactor/core/actor/lifecycle/suspension.hpp"
#include "tactor/core/actor/cell/system_message_kind.hpp"

#include <new>

namespace tactor::inline v0 {
namespace {

supervised* supervised_or_null(const cell& c) noexcept {
  return c.extended ? c.extras->supervised : nullptr;
}

failure of_a_sibling() noexcept {
  return failure{"a sibling failed"};
}
/// Why it is restarted. One that was given no strategy is only when a sibling says so.
failure failure_of(const cell& c) noexcept {
  const supervised* const record = supervised_or_null(c);
  return record == nullptr ? of_a_sibling() : record->why;
}

/// What an actor's strategy says about a failure, which it writes down.
verdict judge_failure(actor_home& home, cell& c, const failure& why) noexcept {
  supervised* const record = supervised_or_null(c);
  if (record == nullptr) return {};
  record->why = why;
  record->said = judge(record->how, record->past, record->why, home.now_ns(), home.chance());
  return record->said;
}

// What a parent does to one child.
void carry_out(cell& child, std::uint32_t generation, directive what) noexcept {
  if (what == directive::stop) return ask_to_stop(child, generation);
  const bool asked = child.ask(generation, [what](life_word was) {
    return what == directive::resume ? was.asked_to_resume() : was.asked_to_restart();
  });
  if (asked) give_notice(child);
}

/// Requires: the caller may look at the parent's children.
void carry_out_for_all(cell& parent, directive what) noexcept {
  for (cell* child = parent.first_child; child != nullptr; child = child->next_sibling)
    if (!child->unlisted) carry_out(*child, child->generation(), what);
}

/// Nobody runs a guardian: its children do themselves what it would do.
void tell_guardian(actor_home& home, cell& c, const child_failed& told) noexcept {
  if (told.said.what == directive::escalate) return home.escalated(c, told.in, told.why);
  if (told.said.scope == failure_scope::one_for_one) return carry_out(c, c.tenant, told.said.what);
  home.lock_family();
  carry_out_for_all(*c.parent, told.said.what);
  home.unlock_family();
}

/// Returns: false if there is no memory for it.
bool tell_parent(actor_home& home, thread_record& here, cell& c,
                 const child_failed& told) noexcept {
  cell& parent = *c.parent;
  if (parent.guardian) {
    tell_guardian(home, c, told);
    return true;
  }
  envelope* const e = new_envelope<child_failed>(here);
  if (e == nullptr) return false;
  ::new (payload_of(*e)) child_failed(told);
  e->from = origin::of_actor(c.slot, c.tenant);
  // If it is not taken, the parent stops, and so will this actor.
  if (!post_letter(parent, parent.generation(), *e, system_letter::child_failed))
    discard_envelope(here, *e);
  return true;
}

void hold_children(cell& c) noexcept {
  for (cell* child = c.first_child; child != nullptr; child = child->next_sibling)
    if (child->ask(child->generation(), [](life_word was) { return was.holding(); }))
      give_notice(*child);
}
void release_children(cell& c) noexcept {
  for (cell* child = c.first_child; child != nullptr; child = child->next_sibling)
    if (child->ask(child->generation(), [](life_word was) { return was.released(); }))
      give_notice(*child);
}

void report_hook(actor_home& home, cell& c, call_result said, const failure& why) noexcept {
  if (said == call_result::failed) home.failed(c, nullptr, why, {.remark = "in a hook"});
}

/// What happens to the old instance: by its own `pre_restart`, or as it is by default.
void call_pre_restart(actor_home& home, thread_record& here, cell& c, const failure& because,
                      bool keep_children) noexcept {
  failure why;
  const actor_type& type = *c.type;
  if (type.pre_restart != nullptr)
    return report_hook(home, c, type.pre_restart(c.object, context_of(c), because, why), why);
  if (!keep_children) {
    internal::unwatch_children(here, c);
    stop_children(c);
  }
  if (type.post_stop != nullptr)
    report_hook(home, c, type.post_stop(c.object, context_of(c), why), why);
}

/// Nobody in the family has failed but a sibling: this actor is kept from its mail all the same.
void fail_with_sibling(actor_home& home, thread_record& here, cell& c) noexcept {
  if (supervised* const record = supervised_or_null(c)) {
    record->why = of_a_sibling();
    record->said = {.what = directive::restart};
    count_with_sibling(record->how, record->past, home.now_ns());
  }
  internal::suspend_for_failure(home, here, c);
  hold_children(c);
}

void cancel_what_is_due(thread_record& here, cell& c) noexcept {
  internal::end_asks(here, c);
  internal::cancel_receive_timeout(c);
}

void begin_restart(actor_home& home, thread_record& here, cell& c) noexcept {
  if (!c.reasons.failed_itself()) fail_with_sibling(home, here, c);
  cancel_what_is_due(here, c);
  enter_stage(c, life_stage::restarting);
  if (c.object != nullptr) {
    c.current = nullptr;
    here.handling.store(nullptr, relaxed);  // relaxed: a hint
    const supervised* const record = supervised_or_null(c);
    const bool keep = record != nullptr && record->said.keep_children;
    call_pre_restart(home, here, c, failure_of(c), keep);
    cancel_what_is_due(here, c);  // of the hook
    release_object(here, c);
  }
  go_on_restarting(home, here, c);
}

/// Whether it has to wait a while. Without a timer it does not: better early than never.
bool waits_for_its_time(actor_home& home, cell& c) noexcept {
  const supervised* const record = supervised_or_null(c);
  if (record == nullptr || record->said.delay == duration{}) return false;
  const std::uint64_t now_ns = home.now_ns();
  const std::uint64_t due_ns = record->past.restarted_ns;
  return now_ns < due_ns && c.extras->deadlines.set(home, c, deadline_of::restart, due_ns, now_ns);
}

/// The child whose failure was escalated fares like its parent.
void recover(cell& c, directive what) noexcept {
  supervised* const record = supervised_or_null(c);
  if (record == nullptr) return;
  const origin child = std::exchange(record->escalated, {});
  cell* const whom =
      program_memory.cells.find({.slot = child.index(), .generation = child.generation});
  if (whom != nullptr) carry_out(*whom, child.generation, what);
}

/// The failure has been dealt with: the actor goes on, and with it its children.
void end_failure(actor_home& home, thread_record& here, cell& c, directive how) noexcept {
  internal::end_failure(home, here, c);
  recover(c, how);
  if (c.reasons.held()) {
    hold_children(c);  // also those that were made meanwhile
  } else {
    release_children(c);
  }
}

/// What becomes of an actor that fails. One that is ending is not made anew; while it handles what is
/// queued, it may go on as it is.
verdict verdict_on(actor_home& home, cell& c, const failure& why) noexcept {
  const bool drains = c.stage == life_stage::draining;
  if (!c.wanted.stop && c.stage != life_stage::stopping && c.parent != nullptr) {
    const verdict said = judge_failure(home, c, why);
    if (!drains || said.what == directive::resume) return said;
  }
  return {.remark = "it was ending already"};
}

void fail_now(actor_home& home, thread_record& here, cell& c, const message_operations* in,
              const failure& why) noexcept {
  const verdict said = verdict_on(home, c, why);
  home.failed(c, in, why, said);
  if (said.what == directive::stop && said.scope == failure_scope::one_for_one) {
    c.wanted.stop = true;  // nobody has to be asked for that
    return;
  }
  // Its parent may be waiting for it to end, and would not answer.
  if (c.stage == life_stage::draining) return recover(c, directive::resume);
  internal::suspend_for_failure(home, here, c);
  hold_children(c);
  // If the decider failed, that is what the parent is told.
  if (!tell_parent(home, here, c, {.said = said, .in = in, .why = failure_of(c)}))
    c.wanted.stop = true;
}

/// The instance could not start: it is gone, and what it has begun, too. `older` is the newest of the
/// children that were there before.
void fail_to_start(actor_home& home, thread_record& here, cell& c, const cell* older,
                   const failure& why) noexcept {
  cancel_what_is_due(here, c);
  release_object(here, c);
  enter_stage(c, life_stage::starting);
  for (cell* child = c.first_child; child != older; child = child->next_sibling) {
    (void)internal::unwatch(here, c, {child, child->generation()});
    ask_to_stop(*child, child->generation());
  }
  fail_now(home, here, c, nullptr, why);
}

/// Whether it has children that were stopped and are not gone. Until then their names are taken.
bool waits_for_children(const cell& c) noexcept {
  for (const cell* child = c.first_child; child != nullptr; child = child->next_sibling) {
    const life_word life{child->life.load(relaxed)};  // relaxed: it gives notice when it is gone
    if (life.stop_asked() || !life.occupied()) return true;
  }
  return false;
}

}  // namespace

void fail(actor_home& home, thread_record& here, cell& c, const message_operations* in,
          const failure& why) noexcept {
  if (c.reasons.failed_itself())
    return home.failed(c, in, why, {.remark = "it has failed already"});
  fail_now(home, here, c, in, why);
}

void start(actor_home& home, thread_record& here, cell& c) noexcept {
  failure why;
  if (begin_life(here, c, nullptr, why) != call_result::done)
    fail_to_start(home, here, c, nullptr, why);
}

void take_child_failure(actor_home& home, thread_record& here, cell& parent, envelope& e) noexcept {
  const child_failed told = *static_cast<child_failed*>(payload_of(e));
  const origin from = e.from;
  discard_envelope(here, e);
  cell* const child =
      program_memory.cells.find({.slot = from.index(), .generation = from.generation});
  if (child == nullptr) return;
  // A parent that stops because it was drained waits for its children: one that failed would wait, too.
  if (parent.stage == life_stage::stopping)
    return carry_out(*child, from.generation, directive::stop);
  if (told.said.what == directive::escalate) {
    // A parent that has failed already cannot do it once more. Its child is not given notice of this:
    // it is restarted when it is released, not again and again while its parent waits.
    if (parent.reasons.failed_itself()) {
      (void)child->ask(from.generation, [](life_word was) { return was.asked_to_restart(); });
      return;
    }
    if (supervised* const record = supervised_or_null(parent)) record->escalated = from;
    return fail(home, here, parent, told.in, told.why);
  }
  if (told.said.scope == failure_scope::all_for_one) {
    carry_out_for_all(parent, told.said.what);
  } else {
    carry_out(*child, from.generation, told.said.what);
  }
}

void follow_directive(actor_home& home, thread_record& here, cell& c, life_word life) noexcept {
  if (!life.restart_asked() && !life.resume_asked()) return;
  (void)c.ask(c.tenant, [life](life_word was) { return was.without_directive(life); });
  if (c.stage == life_stage::draining) return;
  if (life.restart_asked() || c.object == nullptr) return begin_restart(home, here, c);
  end_failure(home, here, c, directive::resume);
}

void go_on_restarting(actor_home& home, thread_record& here, cell& c) noexcept {
  if (c.stage != life_stage::restarting) return;
  if (waits_for_children(c) || waits_for_its_time(home, c)) return;
  c.children_stopped = false;
  if (c.extended) c.extras->deadlines.cancel_with_timer(deadline_of::restart);
  // What the old instance waited for is over; the new one may suspend itself anew.
  internal::resume(home, here, c, suspend_reason::await_external, 0);
  const failure because = failure_of(c);
  const cell* const kept = c.first_child;
  failure why;
  if (begin_life(here, c, &because, why) != call_result::done) {
    return fail_to_start(home, here, c, kept, why);  // a failure like any other, and it counts
  }
  home.restarted(c);
  end_failure(home, here, c, directive::restart);
}

void look_at_parent(actor_home& home, thread_record& here, cell& c, life_word life) noexcept {
  if (life.held() == c.reasons.held()) return;
  if (life.held()) {
    internal::hold(home, here, c);
    hold_children(c);
  } else {
    internal::release_held(home, here, c);
    if (!c.reasons.failed_itself()) release_children(c);
  }
}

}  // namespace tactor::inline v0
