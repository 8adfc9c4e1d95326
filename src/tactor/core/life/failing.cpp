// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/actor_tasks.hpp"
#include "tactor/core/life/fault_handling.hpp"
#include "tactor/core/life/lifecycle.hpp"
#include "tactor/core/life/receive_timeout.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/send/delivery.hpp"
#include "tactor/core/send/runtime_memory.hpp"

// An actor starts, fails, and follows requests. If it has no strategy, it stops when it fails; the
// rest is in fault_handling.cpp.
namespace tactor::inline v0::internal {

call_result start_instance(thread_record& here, cell& c, const failure* because,
                           failure& why) noexcept {
  const actor_type& type = *c.type;
  const message_operations& instance = type.instance;
  void* const storage = fits_in_slot(instance) ? c.storage : new_instance(here, instance, why);
  if (storage == nullptr) return call_result::failed;
  c.current = nullptr;
  here.handling.store(nullptr, relaxed);  // relaxed: a hint
  const call_result made = c.recipe->construct(c.arguments, storage, c, why);
  if (made != call_result::done) {
    if (storage != c.storage) free_block(here, storage, instance);
    return made;
  }
  c.object = storage;
  enter_stage(c, lifecycle_stage::running);
  call_result said = call_result::done;
  if (because != nullptr && c.started && type.post_restart != nullptr) {
    said = type.post_restart(storage, context_of(c), *because, why);
  } else if (type.pre_start != nullptr) {
    said = type.pre_start(storage, context_of(c), why);
  }
  if (said == call_result::done) c.started = true;
  return said;
}

void start(const turn_context& in) noexcept {
  failure& why = in.thread.failures.why;
  if (start_instance(in.thread, in.actor, nullptr, why) != call_result::done)
    fail_to_start(in, nullptr, why);
}

void* new_instance(thread_record& here, const message_operations& instance, failure& why) noexcept {
  void* const block = new_block(here, instance);
  if (block == nullptr) why = failure{"no memory for the actor's instance"};
  return block;
}

void cancel_pending(thread_record& here, cell& c) noexcept {
  c.current = nullptr;  // what is destroyed may look for it
  end_tasks(here, c, ask_failure::target_failed);
  if (const auto* const asks = linked().asks) asks->end(here, c);
  internal::cancel_receive_timeout(c);
  if (const auto* const own = linked().own_timers) own->cancel(here, c);
  if (const auto* const timers = linked().timers) timers->end_keyed(here, c);
}

namespace {

/// Judges the failure by the actor's strategy and records both. An actor that is ending is not
/// restarted; if it was asked to drain, it may be resumed.
verdict judge_failure(system_services& services, cell& c, const failure& why) noexcept {
  // relaxed: a request that comes later is handled after the failure
  const bool drains = lifecycle_word{c.lifecycle.load(relaxed)}.drain_requested();
  if (!c.wanted.stop && c.stage != lifecycle_stage::stopping && c.parent != nullptr) {
    verdict said;
    supervision_state* const record = supervision_state_or_null(c);
    const restart_history past = record == nullptr ? restart_history{} : record->past;
    if (record != nullptr) said = linked().supervision->judge(services, *record, why);
    if (!drains || said.what == directive::resume) return said;
    if (record != nullptr) record->past = past;  // a restart that does not come does not count
  }
  return {.remark = "already stopping"};
}

/// What applies to an actor that fails again before it has recovered: the directive of its earlier
/// failure, or the restart that it follows. Without a strategy it is restarted with a sibling.
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
  const verdict said = judge_failure(in.system, c, why);
  in.thread.failures = {.why = why, .retry_after = said.delay};
  in.system.failed(c, message, why, said);
  if (said.what == directive::stop && said.scope == failure_scope::one_for_one) {
    c.wanted.stop = true;  // needs no parent
    return;
  }
  linked().supervision->wait_for_directive(in, message, said);
}

}  // namespace

void fail(const turn_context& in, const message_operations* message, origin asker,
          const failure& why) noexcept {
  cell& c = in.actor;
  const failure kept = why;  // of the thread, perhaps: another failure may overwrite it
  if (c.reasons.failed_itself()) {
    in.system.failed(c, message, kept, earlier_verdict(c));
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
    if (const auto* const watches = linked().watches)
      (void)watches->end_one(in.thread, c, {child, child->generation()});
    request_stop(*child, child->generation());
  }
  fail_now(in, nullptr, kept);
}

lifecycle_step handle_requests(const turn_context& in) noexcept {
  cell& c = in.actor;
  remove_ended_children(in.thread, c);
  // no mutant: the notice in the mailbox orders the request, too; tried: model.cell accepts a
  // relaxed one
  const lifecycle_word lifecycle{c.lifecycle.load(acquire)};  // pairs: cell.lifecycle
  const bool stops = c.stage == lifecycle_stage::stopping;
  if (stops && lifecycle.stop_requested()) stop_children(c);  // they may be draining
  const supervision_functions* const strategies = linked().supervision;
  if (stops || lifecycle.stop_requested() ||
      (strategies != nullptr && !strategies->follow_directives(in, lifecycle)))
    return begin_stop(in, nullptr);
  // An actor that is to be resumed drains afterwards. (If it began at once, only the moment would
  // differ from which on its mailbox refuses messages.)
  const bool may_drain = c.stage == lifecycle_stage::running && !c.reasons.failed_itself();
  if (lifecycle.drain_requested() && may_drain) begin_drain(c);
  return lifecycle_step::goes_on;
}

}  // namespace tactor::inline v0::internal
