// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/life/start_stop.hpp"

#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/actor_tasks.hpp"
#include "tactor/core/life/death_watch.hpp"
#include "tactor/core/life/failure.hpp"
#include "tactor/core/life/receive_timeout.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/message/locked_queue.hpp"
#include "tactor/core/send/dead_letters.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/full.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/runtime_memory.hpp"

#include <utility>

namespace tactor::inline v0::internal {
namespace {

/// Ends what the actor has begun: no answer and no timer reaches it any more.
void end_own_affairs(thread_record& here, cell& c) noexcept {
  if (const auto* const asks = program_features().asks) asks->end(here, c);
  if (const auto* const timers = program_features().timers) timers->end_keyed(here, c);
  if (const auto* const own = program_features().own_timers) own->cancel(here, c);
}

}  // namespace

// An actor starts, and follows requests.

void start(const turn_context& in) noexcept {
  failure& why = in.thread.failures.why;
  if (start_instance(in.thread, in.actor, nullptr, why) != call_result::done)
    fail_to_start(in, nullptr, why);
}

call_result start_instance(thread_record& here, cell& c, const failure* because,
                           failure& why) noexcept {
  const actor_type& type = running_type(c);
  const message_operations& instance = type.instance;
  void* const storage = fits_in_slot(instance) ? c.storage : new_block(here, instance);
  if (storage == nullptr) {
    why = failure{"no memory for the instance"};
    return call_result::failed;
  }
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

void cancel_pending(thread_record& here, cell& c) noexcept {
  c.current = nullptr;  // what is destroyed may look for it
  end_tasks(here, c, ask_failure::target_failed);
  end_own_affairs(here, c);
  internal::cancel_receive_timeout(c);
}

lifecycle_step handle_requests(const turn_context& in) noexcept {
  cell& c = in.actor;
  remove_ended_children(in.thread, c);
  // no mutant: the notice in the mailbox orders the request, too; tried: model.cell accepts a
  // relaxed one
  const lifecycle_word lifecycle{c.lifecycle.load(acquire)};  // pairs: cell.lifecycle
  const bool stops = c.stage == lifecycle_stage::stopping;
  if (stops && lifecycle.stop_requested()) stop_children(c);  // they may be draining
  const supervision_functions* const strategies = program_features().supervision;
  if (stops || lifecycle.stop_requested() ||
      (strategies != nullptr && !strategies->follow_directives(in, lifecycle)))
    return begin_stop(in, nullptr);
  // An actor that is to be resumed drains afterwards. (If it began at once, only the moment would
  // differ from which on its mailbox refuses messages.)
  const bool may_drain = c.stage == lifecycle_stage::running && !c.reasons.failed_itself();
  if (lifecycle.drain_requested() && may_drain) begin_drain(c);
  return lifecycle_step::goes_on;
}

// It stops.

namespace {

/// Requires: the mailbox is closed.
void refuse_all_producers(cell& c) noexcept {
  // relaxed: constant while a worker runs the cell, but for a hint
  const mailbox_limits limits{c.limits.load(relaxed)};
  if (limits.bounded()) program_features().limits->refuse_producers(c);
}

[[gnu::noinline]] void end_waiting_mail(thread_record& here, cell& c,
                                        envelope_chain mail) noexcept {
  refuse_all_producers(c);
  const stash_functions* const stash = program_features().stash;
  if (stash != nullptr && c.extended) stash->end(here, c);  // before the mail: it is older
  while (envelope* const e = mail.pop()) {
    release_permit(c, *e);
    end_as_dead_letter(here, &c, *e, drop_reason::stopped);
  }
  if (c.own_side_queue() != nullptr) program_features().limits->end_side_queue(here, c);
}

void end_user_mail(thread_record& here, cell& c, envelope* handled) noexcept {
  const envelope_chain mail = c.reader.close(c.box, handled);
  // relaxed: constant while a worker runs the cell, but for a hint
  const mailbox_limits limits{c.limits.load(relaxed)};
  const bool limited = limits.bounded();  // it may have a side queue
  if (limited || c.extended || !mail.empty()) end_waiting_mail(here, c, mail);
}

void unlink(cell& parent, cell& child) noexcept {
  cell* const before = child.previous_sibling;
  cell* const after = child.next_sibling;
  (before == nullptr ? parent.first_child : before->next_sibling) = after;
  if (after != nullptr) after->previous_sibling = before;
  child.next_sibling = nullptr;
  child.previous_sibling = nullptr;
}

/// A guardian has no turns: its children remove themselves.
void leave_guardian(const turn_context& in) noexcept {
  cell& guardian = *in.actor.parent;
  in.system.lock_family();
  unlink(guardian, in.actor);
  const bool last = guardian.first_child == nullptr;
  in.system.unlock_family();
  program_memory.cells.give_back(in.thread.cells, in.actor);
  if (last) in.system.last_child_left();
}

/// Tells the parent. Afterwards the slot may have another tenant.
void leave_family(const turn_context& in) noexcept {
  cell& c = in.actor;
  cell* const parent = c.parent;
  if (parent == nullptr) return;
  if (parent->guardian) return leave_guardian(in);
  cell* before = parent->ended_children.load(relaxed);  // relaxed: only compared
  do {
    c.next.set(before);
  } while (!parent->ended_children.compare_exchange(before, &c, release));  // pairs: cell.ended
  give_notice(*parent);
}

/// Terminate, then unregister the mailbox, then leave: in this order (M9). Watchers are told when
/// nothing is left of the actor but its slot.
void terminate(const turn_context& in) noexcept {
  cell& c = in.actor;
  failure why;
  c.current = nullptr;
  if (c.object != nullptr && running_type(c).post_stop != nullptr &&
      running_type(c).post_stop(c.object, context_of(c), why) == call_result::failed)
    report_failure(in.system, c, nullptr, why, {.remark = "while stopping"});
  if (c.extended) {  // `post_stop` may have asked, started timers, or suspended
    end_own_affairs(in.thread, c);
    if (const auto* const suspension = program_features().suspension) suspension->end(in.thread, c);
  }
  if (c.reasons.has(suspend_reason::backpressure)) program_features().outboxes->end(in.thread, c);
  in.thread.ending = true;
  release_object(in.thread, c);
  in.thread.ending = false;
  release_arguments(in.thread, c);
  program_memory.cells.end_tenancy(c);
  end_system_mail(in.thread, c);
  // relaxed: constant until then
  if (c.side_queue.load(relaxed) != nullptr) program_features().limits->end(c);
  c.coordinator.load(relaxed)->unregister(c);  // relaxed: constant while a worker runs the cell
  enter_stage(c, lifecycle_stage::stopped);
  in.system.ended(c);
  if (c.extended) {
    if (const auto* const watches = program_features().watches) watches->end(in.thread, c);
    end_parts(in.thread, c);
  }
  leave_family(in);
}

lifecycle_step end_if_alone(const turn_context& in) noexcept {
  if (in.actor.first_child != nullptr) return lifecycle_step::goes_on;
  terminate(in);
  return lifecycle_step::ended;
}

}  // namespace

void adopt(cell& parent, cell& child) noexcept {
  child.parent = &parent;
  child.previous_sibling = nullptr;
  child.next_sibling = parent.first_child;
  if (parent.first_child != nullptr) parent.first_child->previous_sibling = &child;
  parent.first_child = &child;
}

void release_object(thread_record& here, cell& c) noexcept {
  void* const object = std::exchange(c.object, nullptr);
  if (object == nullptr) return;
  const message_operations& instance = running_type(c).instance;
  if (instance.destroy != nullptr) instance.destroy(object);
  if (!fits_in_slot(instance)) free_block(here, object, instance);
}

void begin_drain(cell& c) noexcept {
  enter_stage(c, lifecycle_stage::draining);
  c.reader.refuse(c.box);
  refuse_all_producers(c);
  if (locked_queue* const side_queue = c.own_side_queue()) side_queue->close();
}

void remove_ended_children(thread_record& here, cell& c) noexcept {
  // relaxed: the notice was taken, so what was pushed before it is visible
  if (c.ended_children.load(relaxed) == nullptr) return;
  cell* ended = c.ended_children.exchange(nullptr, acquire);  // pairs: cell.ended
  while (ended != nullptr) {
    cell& child = *ended;
    ended = static_cast<cell*>(child.next.get());
    unlink(c, child);
    program_memory.cells.give_back(here.cells, child);
  }
}

namespace {

/// From now on it only waits for its children. `handled`: the message that it handles, or null.
void end_all_but_children(const turn_context& in, envelope* handled) noexcept {
  cell& c = in.actor;
  enter_stage(c, lifecycle_stage::stopping);
  c.current = handled;  // destructors of users may ask for its sender
  if (c.extended) end_own_affairs(in.thread, c);
  end_user_mail(in.thread, c, handled);
}

}  // namespace

lifecycle_step begin_stop(const turn_context& in, envelope* handled) noexcept {
  cell& c = in.actor;
  c.wanted.stop = false;
  if (c.stage == lifecycle_stage::stopping) return end_if_alone(in);
  end_all_but_children(in, handled);
  end_tasks(in.thread, c, ask_failure::target_terminated);
  if (c.first_child != nullptr) stop_children(c);
  return end_if_alone(in);
}

lifecycle_step end_drained(const turn_context& in) noexcept {
  end_all_but_children(in, nullptr);
  drain_children(in.actor);
  return end_if_alone(in);
}

void stop_children(cell& parent) noexcept {
  if (parent.children_stopped) return;
  parent.children_stopped = true;
  for (cell* child = parent.first_child; child != nullptr; child = child->next_sibling)
    request_stop(*child, child->generation());
}
void drain_children(cell& parent) noexcept {
  for (cell* child = parent.first_child; child != nullptr; child = child->next_sibling)
    if (!child->unlisted) request_drain(*child, child->generation());
}

void request_stop(cell& c, std::uint32_t generation) noexcept {
  post_request(c, generation, &lifecycle_word::with_stop_request);
}

void request_drain(cell& c, std::uint32_t generation) noexcept {
  post_request(c, generation, &lifecycle_word::with_drain_request);
}

// What an actor that ends leaves in its queues.

void end_side_queue(thread_record& here, cell& c) noexcept {
  locked_queue& side_queue = *c.own_side_queue();
  side_queue.close();
  const auto end = [&](envelope& e) {
    release_permit(c, e);
    end_as_dead_letter(here, &c, e, drop_reason::stopped);
  };
  while (envelope* const e = side_queue.strays.pop())
    end(*e);
  while (envelope* const e = side_queue.pop())
    end(*e);
}

void end_system_mail(thread_record& here, cell& c) noexcept {
  const auto end_all = [&](envelope_chain mail) {
    while (envelope* const e = mail.pop()) {
      release_system_permit(c, *e);
      end_system_message(here, c, *e);
    }
  };
  if (c.extended) end_all(std::exchange(c.parts->system_mail, {}));
  end_all(c.reader.close_system(c.box));
}

void end_system_message(thread_record& here, cell& c, envelope& e) noexcept {
  switch (kind_of(e)) {
  case system_message_kind::message:
    return end_as_dead_letter(here, &c, e, drop_reason::stopped);
  case system_message_kind::watch:
    return program_features().watches->give_back(here, e, internal::end_of(c));
  case system_message_kind::capacity_available:
    return program_features().suspension->give_back_capacity(here, e);
  case system_message_kind::permit:
    return program_features().outboxes->give_back(here, e);
  case system_message_kind::answer:
    return program_features().asks->end_late(here, e);
  case system_message_kind::suspension_command:
  case system_message_kind::child_failed:
  case system_message_kind::unwatch:
  case system_message_kind::terminated:
  case system_message_kind::wait_walk:
    return discard_envelope(here, e);
  }
}

}  // namespace tactor::inline v0::internal
