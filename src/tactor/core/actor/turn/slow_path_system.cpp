// SPDX-License-Identifier: BSL-1.0
// The slow path of system messages: requests of the runtime. A board whose program sends none does not link it.
#include "tactor/core/actor/cell/system_message_kind.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/lifecycle/actor_tasks.hpp"
#include "tactor/core/actor/lifecycle/death_watch.hpp"
#include "tactor/core/actor/lifecycle/extras/actor_extras.hpp"
#include "tactor/core/actor/lifecycle/extras/rare_lists.hpp"
#include "tactor/core/actor/lifecycle/fault_handling.hpp"
#include "tactor/core/actor/lifecycle/suspension.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"
#include "tactor/core/actor/waiting/actor_deadlines.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"

#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {

void link_system_messages() noexcept {}

void end_system_mail(thread_record& here, cell& c) noexcept {
  const auto end_all = [&](envelope_chain mail) {
    while (envelope* const e = mail.pop()) {
      release_system_permit(c, *e);
      end_system_message(here, c, *e);
    }
  };
  if (c.extended && c.extras->rare != nullptr)
    end_all(std::exchange(c.extras->rare->system_mail, {}));
  end_all(c.reader.close_system(c.box));
}

void end_system_message(thread_record& here, cell& c, envelope& e) noexcept {
  switch (kind_of(e)) {
  case system_message_kind::message:
    return end_as_dead_letter(here, &c, e, drop_reason::stopped);
  case system_message_kind::watch:
    return internal::return_to_watcher(here, e, internal::end_of(c));
  case system_message_kind::capacity_available:
    return give_back_capacity(here, e);
  case system_message_kind::answer:
    return end_late_answer(here, e);
  case system_message_kind::suspension_command:
  case system_message_kind::child_failed:
  case system_message_kind::unwatch:
  case system_message_kind::terminated:
    return discard_envelope(here, e);
  }
}

turn_step slow_path::process_system_messages() noexcept {
  return take_system_messages(next_system_messages());
}

turn_step slow_path::take_system_messages(envelope_chain mail) noexcept {
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
  rare_lists* const lists = cell_.extended ? cell_.extras->rare : nullptr;
  envelope_chain left = lists == nullptr ? envelope_chain{} : std::exchange(lists->system_mail, {});
  if (left.empty()) return cell_.reader.take_system(cell_.box);
  (void)cell_.box.give_notice();  // for those that came since; the cell is running
  return left;
}

void slow_path::handle_system_message(envelope& e) noexcept {
  ++result_.system_messages;
  if (here_.counters != nullptr) here_.counters->system_messages_handled.add(1);
  if (e.kind == envelope_kind::timer) return handle_deadline_envelope(e);
  const system_message_kind what = kind_of(e);
  const bool is_called =
      what == system_message_kind::message || what == system_message_kind::terminated;
  if (here_.trace.recorder == nullptr || is_called) return apply_system_message(e, what);
  trace_recorder& by = *here_.trace.recorder;
  by.begin(cell_, e, services_.now_ns());
  apply_system_message(e, what);
  by.end(false, services_.now_ns());
}

void slow_path::apply_system_message(envelope& e, system_message_kind what) noexcept {
  switch (what) {
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
  if (e.kind != envelope_kind::system) return queue_reserved(e);
  receive(e);
  if (!is_kept(e)) discard_envelope(here_, e);
}

/// A coroutine may outlive a notification that stands on the stack.
void slow_path::receive_notification(envelope& on_stack) noexcept {
  receive(on_stack);
  if (is_kept(on_stack)) tasks_of(cell_)->copy_message(here_);
}

}  // namespace tactor::inline v0::internal
