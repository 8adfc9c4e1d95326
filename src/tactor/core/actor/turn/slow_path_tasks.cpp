// SPDX-License-Identifier: BSL-1.0
// The slow path of coroutines. A board without any does not link it.
#include "tactor/core/actor/cell/lifecycle_word.hpp"
#include "tactor/core/actor/cell/system_message_kind.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/lifecycle/actor_extras.hpp"
#include "tactor/core/actor/lifecycle/actor_tasks.hpp"
#include "tactor/core/actor/lifecycle/death_watch.hpp"
#include "tactor/core/actor/lifecycle/lifecycle.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"
#include "tactor/core/observe/worker_counters.hpp"

#include <utility>

namespace tactor::inline v0::internal {

void link_tasks() noexcept {}

/// Continues a coroutine whose result has come.
turn_step slow_path::continue_task(actor_tasks& tasks) noexcept {
  if (std::exchange(tasks.yields, false)) {
    result_.yields = true;
    (void)cell_.box.give_notice();  // for its next turn; the cell is running
    return step::continue_turn;
  }
  called_ = true;
  failure why;
  return after_task(tasks, tasks.run_ready(here_, cell_, why), why);
}

/// A coroutine has ended, or awaits again.
turn_step slow_path::after_task(actor_tasks& tasks, const task_step& result,
                                const failure& why) noexcept {
  const auto [said, message] = result;
  if (said == call_result::failed) {
    const message_operations* const in = message == nullptr ? nullptr : message->operations;
    const failure kept = why;  // another failure may overwrite it
    if (message != nullptr)
      internal::refuse_answer(here_, message->from, ask_failure::target_failed);
    fail(in, kept);
  } else if (said == call_result::done) {
    cell_.active =
        cell_.active || message == nullptr || !message->operations->ignored_by_receive_timeout;
  }
  cell_.current = nullptr;
  if (message == nullptr) return cell_.wanted.stop ? stop(nullptr) : step::continue_turn;
  if (cell_.filtered && message->kind != envelope_kind::system)
    tell_middleware(*message, said, false);  // the coroutine had its contents
  tasks.release_message(here_, *message);
  return cell_.wanted.stop ? stop(nullptr) : step::continue_turn;
}

/// The turn of an actor that is suspended for its coroutine only, if nothing has come but what that one
/// awaits. Otherwise does the first step.
step_result slow_path::run_awaited(std::uint32_t most) noexcept {
  most_system_messages_ = most;
  cell_.reader.take_notice(cell_.box);
  // no mutant: as in `handle_requests`
  const lifecycle_word lifecycle{cell_.lifecycle.load(acquire)};  // pairs: cell.lifecycle
  // relaxed: as in `remove_ended_children`
  const bool requests = lifecycle.has_requests() || cell_.ended_children.load(relaxed) != nullptr;
  const watch_lists* const lists = cell_.extras->watches;
  const bool left = lists != nullptr && !(lists->system_mail.empty() && lists->deferred.empty());
  if (requests || left) return done(go_on_after(process_system()));
  envelope_chain mail = cell_.reader.take_system(cell_.box);
  envelope* const e = mail.single();
  const bool answered = e != nullptr && e->generation == cell_.tenant &&
                        e->kind == envelope_kind::system &&
                        kind_of(*e) == system_message_kind::answer;
  if (!answered) return done(go_on_after(take_system_messages(mail)));
  release_system_permit(cell_, *e);
  ++result_.system_messages;
  if (here_.counters != nullptr) here_.counters->system_messages_handled.add(1);
  actor_tasks& tasks = *tasks_of(cell_);
  const task_step went = tasks.run_with(services_, here_, cell_, *e, here_.why);
  if (went.said == call_result::unhandled) return done(on_idle());
  ++result_.handled;
  const step s = after_task(tasks, went, here_.why);
  if (s != step::continue_turn || cell_.wanted.anything() || !only_awaits(cell_)) return done(s);
  result_.reason = suspend_reason::await_external;
  return done(cell_.reader.set_idle(cell_.box) ? step::suspended : step::continue_turn);
}

}  // namespace tactor::inline v0::internal
