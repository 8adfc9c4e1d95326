// SPDX-License-Identifier: BSL-1.0
// How a turn goes on with a coroutine.
#include "tactor/core/cell/lifecycle_word.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/actor_tasks.hpp"
#include "tactor/core/life/stash.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/turn/turn.hpp"

#include <utility>

namespace tactor::inline v0::internal {

/// After a yield the turn ends; then a message comes first, unless a coroutine that is not
/// reentrant has not ended.
turn_step turn::continue_task(actor_tasks& tasks) noexcept {
  if (std::exchange(tasks.yields, false)) {
    tasks.lets_pass = tasks.exclusive == 0;
    budget_.end();
    (void)actor.box.give_notice();  // for its next turn; the cell is running
    return turn_step::continue_turn;
  }
  if (std::exchange(tasks.lets_pass, false)) {
    (void)actor.box.give_notice();  // for the coroutine, in the next step; the cell is running
    return handle_next_message();
  }
  called_ = true;
  failure why;
  const task_step went = tasks.run_ready(thread, actor, why);
  return end_task_step(tasks, went, why);
}

/// A coroutine has ended, or awaits again.
turn_step turn::end_task_step(actor_tasks& tasks, const task_step& result,
                              const failure& why) noexcept {
  const auto [said, message] = result;
  const actor_parts* const parts = actor.parts;
  if (parts != nullptr && !parts->deferred.empty())
    (void)actor.box.give_notice();  // they waited for the coroutine; the cell is running
  if (said == call_result::failed) {
    const message_operations* const in = message == nullptr ? nullptr : message->operations;
    fail(in, message == nullptr ? origin{} : message->from, why);
  } else if (said == call_result::done && message != nullptr) {
    const bool counts = message->kind != envelope_kind::system && counts_as_activity(*message);
    actor.active = actor.active || counts;
  }
  actor.current = nullptr;
  if (message != nullptr) {
    if (actor.filtered && message->kind != envelope_kind::system)
      program_features().middleware->tell(*this, *message, said,
                                          false);  // the coroutine had its contents
    tasks.release_message(thread, *message);
  }
  return actor.wanted.stop ? stop(nullptr) : turn_step::continue_turn;
}

namespace {

bool is_answer(const envelope& e, const cell& to) noexcept {
  return e.generation == to.tenant && e.kind == envelope_kind::system &&
         kind_of(e) == system_message_kind::answer;
}
/// Returns: whether something else than system messages in the mailbox waits. Requires: the notice
/// was taken.
bool has_more_to_do(const cell& c) noexcept {
  // no mutant: as in `handle_requests`
  const lifecycle_word lifecycle{c.lifecycle.load(acquire)};  // pairs: cell.lifecycle
  const actor_parts* const parts = c.parts;
  const bool left = parts != nullptr && !(parts->system_mail.empty() && parts->deferred.empty());
  // relaxed: as in `remove_ended_children`
  return lifecycle.has_requests() || left || c.ended_children.load(relaxed) != nullptr;
}

}  // namespace

// The short way of a single answer to a coroutine: the mailbox is resumed when the notice is taken,
// and suspended when the cell becomes idle, which takes one exchange each.
invoke_result turn::run_awaited() noexcept {
  envelope* const e = actor.reader.single_system(actor.box);
  if (e == nullptr || !is_answer(*e, actor)) return run();
  actor.reader.resume_by_notice(actor.box);
  if (has_more_to_do(actor) || !actor.reader.take_single_system(actor.box, *e)) [[unlikely]] {
    actor.reader.suspend(actor.box);
    (void)actor.box.give_notice();  // the cell is running
    return run();
  }
  if (thread.counters != nullptr) thread.counters->system_messages_handled.add(1);
  actor_tasks& tasks = *actor.parts->suspension->tasks;
  const task_step went = tasks.run_with(*this, *e, thread.failures.why);
  const bool waits = went.said == call_result::awaiting && tasks.waits;
  if (!waits || !actor.reasons.empty() || actor.wanted.anything()) [[unlikely]]
    return run_after_await(tasks, went);
  begin_await(*this, tasks.waits_since_ns);
  actor.current = nullptr;
  if (actor.reader.suspend_idle(actor.box))
    return {.how = invoke_result::outcome::suspended,
            .reason = suspend_reason::await_external,
            .messages = 1};
  actor.reader.suspend(actor.box);
  ++handled_;
  return run();
}

/// The coroutine has ended, its actor does not wait, or it waits for something else besides.
invoke_result turn::run_after_await(actor_tasks& tasks, const task_step& result) noexcept {
  if (result.said == call_result::unhandled) {  // a late answer: it still awaits
    actor.reader.suspend(actor.box);
    return run();
  }
  if (tasks.waits) suspend_for_await(*this, tasks.waits_since_ns);
  ++handled_;
  return run(end_task_step(tasks, result, thread.failures.why));
}

const coroutine_functions coroutine_feature{.go_on = call_member<&turn::continue_task>,
                                            .run_awaited = call_member<&turn::run_awaited>};

}  // namespace tactor::inline v0::internal
