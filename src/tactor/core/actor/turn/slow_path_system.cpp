// SPDX-License-Identifier: BSL-1.0
// The slow path of system messages: requests of the runtime, terminations, deadlines.
#include "tactor/core/actor/cell/system_message_kind.hpp"
#include "tactor/core/actor/delivery/actor_deadlines.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/delivery/stack_envelope.hpp"
#include "tactor/core/actor/delivery/timer_envelope.hpp"
#include "tactor/core/actor/lifecycle/actor_extras.hpp"
#include "tactor/core/actor/lifecycle/actor_tasks.hpp"
#include "tactor/core/actor/lifecycle/death_watch.hpp"
#include "tactor/core/actor/lifecycle/fault_handling.hpp"
#include "tactor/core/actor/lifecycle/pending_asks.hpp"
#include "tactor/core/actor/lifecycle/receive_timeout.hpp"
#include "tactor/core/actor/lifecycle/suspension.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"

#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {

turn_step slow_path::take_system_messages() noexcept {
  envelope_chain mail = next_system_messages();
  step s = step::continue_turn;
  while (!mail.empty()) {
    const bool enough = result_.system_messages >= most_system_messages_;
    if (enough && s == step::continue_turn && defer_system_messages(mail)) break;
    envelope* const e = mail.pop();
    release_system_permit(cell_, *e);
    // Once the actor has ended, the cell may have another tenant.
    const bool wanted = s == step::continue_turn && e->generation == cell_.tenant;
    if (!wanted) {
      end_system_message(here_, cell_, *e);
      continue;
    }
    handle_system_message(*e);
    if (cell_.wanted.stop) s = stop(nullptr);
  }
  if (s != step::continue_turn) return s;
  deliver_deferred_terminated();
  if (cell_.wanted.stop) return stop(nullptr);
  note_flood();
  return s;
}

/// Those that the last step left, else those in the mailbox.
envelope_chain slow_path::next_system_messages() noexcept {
  watch_lists* const lists = cell_.extended ? cell_.extras->watches : nullptr;
  envelope_chain left = lists == nullptr ? envelope_chain{} : std::exchange(lists->system_mail, {});
  if (left.empty()) return cell_.reader.take_system(cell_.box);
  (void)cell_.box.give_notice();  // for those that came since; the cell is running
  return left;
}

/// Keeps system messages for the next step. Returns: false if there is no memory for that.
bool slow_path::defer_system_messages(envelope_chain rest) noexcept {
  watch_lists* const lists = internal::watches_of(here_, cell_);
  if (lists == nullptr) return false;
  lists->system_mail = rest;
  (void)cell_.box.give_notice();  // the cell is running
  return true;
}

/// Warns, once for each flood, of an actor that has system messages left after so many steps.
void slow_path::note_flood() noexcept {
  constexpr std::uint32_t many = 1024;
  if (!cell_.extended || cell_.extras->watches == nullptr) return;
  std::uint32_t& steps = cell_.extras->watches->system_steps;
  if (!cell_.box.peek().noticed()) {
    steps = 0;
  } else if (steps < many) {
    ++steps;
    if (steps < many) return;
    services_.misused(cell_, "system messages (signals, suspend, resume, watch) come faster than "
                             "the actor handles them, and its messages wait: send fewer");
  }
}

void slow_path::handle_system_message(envelope& e) noexcept {
  ++result_.system_messages;
  if (here_.counters != nullptr) here_.counters->system_messages_handled.add(1);
  if (e.kind == envelope_kind::timer) return handle_deadline_envelope(e);
  switch (kind_of(e)) {
  case system_message_kind::suspension_command:
    if (cell_.stage != lifecycle_stage::stopping)
      internal::apply_suspension_command(
          services_, here_, cell_, *static_cast<internal::suspension_command*>(payload_of(e)));
    return discard_envelope(here_, e);
  case system_message_kind::child_failed: {
    const bool had_failed = cell_.reasons.failed_itself() || cell_.wanted.stop;
    handle_child_failure(services_, here_, cell_, e);
    result_.failed =
        result_.failed || (!had_failed && (cell_.reasons.failed_itself() || cell_.wanted.stop));
    return;
  }
  case system_message_kind::watch:
    // A watcher that comes while the actor stops is told with the others.
    return internal::take_watch(here_, cell_, e);
  case system_message_kind::unwatch:
    return internal::take_unwatch(here_, cell_, e);
  case system_message_kind::terminated:
    return deliver_terminated(e);
  case system_message_kind::capacity_available:
    return internal::take_capacity_available(services_, here_, cell_, e);
  case system_message_kind::answer: {
    actor_tasks* const tasks = tasks_of(cell_);
    if (tasks == nullptr) return internal::end_late_answer(here_, e);
    if (tasks->take_answer(services_, here_, cell_, e)) ++result_.handled;
    return;
  }
  case system_message_kind::message:
    break;
  }
  if (cell_.object == nullptr || cell_.stage == lifecycle_stage::stopping)
    return end_system_message(here_, cell_, e);
  receive(e);
  if (!is_kept(e)) discard_envelope(here_, e);
}

/// A coroutine may outlive a notification that stands on the stack.
void slow_path::receive_notification(envelope& on_stack) noexcept {
  receive(on_stack);
  if (is_kept(on_stack)) tasks_of(cell_)->copy_message(here_);
}

/// A watched actor has ended. The watcher is told when it runs, before its messages, in the order
/// of terminations.
void slow_path::deliver_terminated(envelope& e) noexcept {
  watch_lists* const lists = cell_.extended ? cell_.extras->watches : nullptr;
  if (lists == nullptr) return discard_envelope(here_, e);
  lists->deferred.push(e);
  deliver_deferred_terminated();
}

void slow_path::deliver_deferred_terminated() noexcept {
  while (runs() && cell_.extended && cell_.extras->watches != nullptr &&
         !cell_.extras->watches->deferred.empty()) {
    if (result_.system_messages >= most_system_messages_) {
      (void)cell_.box.give_notice();  // the rest in the next step; the cell is running
      return;
    }
    ++result_.system_messages;
    deliver_one_terminated(*cell_.extras->watches->deferred.pop());
  }
}

void slow_path::deliver_one_terminated(envelope& e) noexcept {
  const internal::terminated_notice notice = internal::take_terminated(here_, cell_, e);
  if (!notice.wanted) return;
  if (notice.told != nullptr) {
    receive(*notice.told);
    if (!is_kept(*notice.told)) discard_envelope(here_, *notice.told);
    return;
  }
  stack_envelope<terminated> message{terminated{.who = notice.who, .why = notice.why},
                                     cell_.tenant};
  message.head.from =
      notice.who ? origin::of_actor(notice.who.slot()->slot, notice.who.generation()) : origin{};
  receive_notification(message.head);
}

// Deadlines.

void slow_path::handle_deadline_envelope(envelope& e) noexcept {
  timer_job& job = timer_envelope::of(e).job();
  if (!job.begin()) return;
  if (cell_.extended) cell_.extras->deadlines.timer_fired();
  job.finish({});  // first: the next timer of the actor can have its memory
  handle_deadlines();
}

void slow_path::handle_deadlines() noexcept {
  if (!cell_.extended) return;
  actor_deadlines& deadlines = cell_.extras->deadlines;
  const std::uint64_t now_ns = services_.now_ns();
  while (const auto due = deadlines.poll_expired(now_ns)) {
    if (cell_.wanted.stop || cell_.stage == lifecycle_stage::stopping) return;
    handle_deadline(*due, now_ns);
  }
  if (cell_.wanted.stop || deadlines.rearm(services_, cell_, now_ns)) return;
  services_.misused(cell_, "no memory for a timer of the actor: its timeouts do not end");
}

void slow_path::handle_deadline(deadline_of what, std::uint64_t now_ns) noexcept {
  switch (what) {
  case deadline_of::asks:
    if (actor_tasks* const tasks = tasks_of(cell_)) {
      tasks->expire(services_, here_, cell_, now_ns);
      if (internal::set_deadline_of_awaits(services_, here_, cell_, now_ns)) return;
    }
    if (!internal::note_overdue_asks(here_, cell_)) expire_asks(now_ns);
    return;
  case deadline_of::receive_timeout:
    return deliver_receive_timeout(now_ns);
  case deadline_of::restart:
    return continue_restart(services_, here_, cell_);
  case deadline_of::await_external:
    return internal::resume_in_time(services_, here_, cell_, suspend_reason::await_external);
  case deadline_of::rate_limit:
    return internal::resume_in_time(services_, here_, cell_, suspend_reason::rate_limit);
  case deadline_of::user_defined:
    return internal::resume_in_time(services_, here_, cell_, suspend_reason::user_defined);
  }
}

/// Ends pending asks whose timeout has passed: a few, and the rest after the messages that are queued
/// by now.
void slow_path::expire_asks(std::uint64_t now_ns) noexcept {
  constexpr std::uint32_t most = 64;
  for (std::uint32_t ended = 0; runs() && internal::has_due_ask(cell_, now_ns); ++ended) {
    if (ended >= most && internal::note_overdue_asks(here_, cell_)) return;
    fail_first_ask(ask_failure::timed_out, now_ns);
  }
  if (cell_.wanted.stop || internal::set_next_deadline(services_, cell_, now_ns)) return;
  // There is no timer for the others: end them now rather than never.
  while (runs() && internal::has_due_ask(cell_, ~std::uint64_t{0}))
    fail_first_ask(ask_failure::refused, now_ns);
}

void slow_path::fail_first_ask(ask_failure why_none, std::uint64_t now_ns) noexcept {
  cell_.current = nullptr;
  called_ = true;
  here_.handling.store(nullptr, relaxed);  // relaxed: a hint
  failure why;
  if (internal::fail_first_ask(here_, cell_, why_none, now_ns, why) == call_result::failed)
    fail(nullptr, why);
}

void slow_path::deliver_receive_timeout(std::uint64_t now_ns) noexcept {
  if (!runs()) return internal::defer_receive_timeout(cell_);
  const auto timeout = internal::check_receive_timeout(services_, cell_, now_ns);
  if (!timeout) return;
  stack_envelope<receive_timeout> message{receive_timeout{*timeout}, cell_.tenant};
  receive_notification(message.head);
}

}  // namespace tactor::inline v0::internal
