// SPDX-License-Identifier: BSL-1.0
// The slow path of coroutines. A board without any does not link it.
#include "tactor/core/actor/cell/lifecycle_word.hpp"
#include "tactor/core/actor/cell/system_message_kind.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/lifecycle/actor_tasks.hpp"
#include "tactor/core/actor/lifecycle/extras/actor_extras.hpp"
#include "tactor/core/actor/lifecycle/extras/rare_lists.hpp"
#include "tactor/core/actor/lifecycle/lifecycle.hpp"
#include "tactor/core/actor/lifecycle/stash.hpp"
#include "tactor/core/actor/lifecycle/suspension.hpp"
#include "tactor/core/actor/turn/message_invoker.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"
#include "tactor/core/observe/worker_counters.hpp"

#include <utility>

namespace tactor::inline v0::internal {

void link_tasks() noexcept {}

/// Continues a coroutine whose result has come. After a yield the turn ends; then a message comes first, unless a
/// coroutine that is not reentrant has not ended.
turn_step slow_path::continue_task(actor_tasks& tasks) noexcept {
  if (std::exchange(tasks.yields, false)) {
    tasks.lets_pass = tasks.exclusive == 0;
    result_.yields = true;
    (void)cell_.box.give_notice();  // for its next turn; the cell is running
    return step::continue_turn;
  }
  if (std::exchange(tasks.lets_pass, false)) {
    (void)cell_.box.give_notice();  // for the coroutine, in the next step; the cell is running
    return process_message();
  }
  called_ = true;
  failure why;
  const task_step went = tasks.run_ready(here_, cell_, why);
  const step s = after_task(tasks, went, why);
  if (here_.trace.recorder != nullptr) end_traced(*here_.trace.recorder, went.said);
  return s;
}

/// A coroutine has ended, or awaits again.
turn_step slow_path::after_task(actor_tasks& tasks, const task_step& result,
                                const failure& why) noexcept {
  const auto [said, message] = result;
  const rare_lists* const lists = cell_.extras->rare;
  if (lists != nullptr && !lists->deferred.empty())
    (void)cell_.box.give_notice();  // they waited for the coroutine; the cell is running
  if (said == call_result::failed) {
    const message_operations* const in = message == nullptr ? nullptr : message->operations;
    fail(in, message == nullptr ? origin{} : message->from, why);
  } else if (said == call_result::done && message != nullptr) {
    const bool counts = message->kind != envelope_kind::system && counts_as_activity(*message);
    cell_.active = cell_.active || counts;
  }
  cell_.current = nullptr;
  if (message == nullptr) return cell_.wanted.stop ? stop(nullptr) : step::continue_turn;
  if (cell_.filtered && message->kind != envelope_kind::system)
    tell_middleware(*message, said, false);  // the coroutine had its contents
  tasks.release_message(here_, *message);
  return cell_.wanted.stop ? stop(nullptr) : step::continue_turn;
}

step_result slow_path::after_coroutine(actor_tasks& tasks, const task_step& went,
                                       const failure& why) noexcept {
  result_.handled = 1;
  return done(after_task(tasks, went, why));
}

namespace {

bool is_answer(const envelope& e, const cell& to) noexcept {
  return e.generation == to.tenant && e.kind == envelope_kind::system &&
         kind_of(e) == system_message_kind::answer;
}
/// Whether something else than system messages in the mailbox waits. Requires: the notice was taken.
bool has_more_to_do(const cell& c) noexcept {
  // no mutant: as in `handle_requests`
  const lifecycle_word lifecycle{c.lifecycle.load(acquire)};  // pairs: cell.lifecycle
  const rare_lists* const lists = c.extras->rare;
  const bool left = lists != nullptr && !(lists->system_mail.empty() && lists->deferred.empty());
  // relaxed: as in `remove_ended_children`
  return lifecycle.has_requests() || left || c.ended_children.load(relaxed) != nullptr;
}

}  // namespace

// The path of a single answer: the mailbox is resumed when the notice is taken, and suspended when the cell
// becomes idle, which takes one exchange each.
invoke_result message_invoker::run_awaited(thread_record& here, cell& c) noexcept {
  envelope* const e = c.reader.single_system(c.box);
  if (e == nullptr || !is_answer(*e, c)) return finish_turn(here, run_turn(here, c, 0, false));
  c.reader.resume_by_notice(c.box);
  if (has_more_to_do(c) || !c.reader.take_single_system(c.box, *e)) [[unlikely]] {
    c.reader.suspend(c.box);
    (void)c.box.give_notice();  // the cell is running
    return finish_turn(here, run_turn(here, c, 0, false));
  }
  if (here.counters != nullptr) here.counters->system_messages_handled.add(1);
  actor_tasks& tasks = *c.extras->suspension->tasks;
  const task_step went = tasks.run_with(services_, here, c, *e, here.failures.get().why);
  const bool waits = went.said == call_result::awaiting && tasks.waits;
  if (!waits || !c.reasons.empty() || c.wanted.anything()) [[unlikely]]
    return after_awaited(here, c, went);
  begin_await(services_, here, c, tasks.waits_since_ns);
  c.current = nullptr;
  if (c.reader.suspend_idle(c.box))
    return {.how = invoke_result::outcome::suspended,
            .reason = suspend_reason::await_external,
            .messages = 1};
  c.reader.suspend(c.box);
  return finish_turn(here, run_turn(here, c, 1, false));
}

/// The coroutine has ended, its actor does not wait, or it waits for something else besides.
invoke_result message_invoker::after_awaited(thread_record& here, cell& c,
                                             const task_step& went) noexcept {
  actor_tasks& tasks = *tasks_of(c);
  if (went.said == call_result::unhandled) {  // a late answer: it still awaits
    c.reader.suspend(c.box);
    return finish_turn(here, run_turn(here, c, 0, false));
  }
  if (tasks.waits) suspend_for_await(services_, here, c, tasks.waits_since_ns);
  const step_result longer =
      slow_path{services_, here, c}.after_coroutine(tasks, went, here.failures.get().why);
  if (longer.where != turn_step::continue_turn)
    return finish_turn(here, result_of(longer, longer.failed, 1));
  return finish_turn(here, run_turn(here, c, 1, longer.failed));
}

}  // namespace tactor::inline v0::internal
