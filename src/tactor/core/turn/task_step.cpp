// SPDX-License-Identifier: BSL-1.0
// How a turn goes on with a coroutine.
#include "tactor/core/cell/lifecycle_word.hpp"
#include "tactor/core/cell/system_message_kind.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/actor_tasks.hpp"
#include "tactor/core/life/stash.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/send/delivery.hpp"
#include "tactor/core/turn/turn.hpp"

#include <utility>

namespace tactor::inline v0::internal {

/// After a yield the turn ends; then a message comes first, unless a coroutine that is not
/// reentrant has not ended.
turn_step turn::continue_task(actor_tasks& tasks) noexcept {
  if (std::exchange(tasks.yields, false)) {
    tasks.lets_pass = tasks.exclusive == 0;
    yields_ = true;
    (void)on_.actor.box.give_notice();  // for its next turn; the cell is running
    return turn_step::continue_turn;
  }
  if (std::exchange(tasks.lets_pass, false)) {
    (void)on_.actor.box.give_notice();  // for the coroutine, in the next step; the cell is running
    return handle_next_message();
  }
  called_ = true;
  failure why;
  const task_step went = tasks.run_ready(on_.thread, on_.actor, why);
  return end_task_step(tasks, went, why);
}

/// A coroutine has ended, or awaits again.
turn_step turn::end_task_step(actor_tasks& tasks, const task_step& result,
                              const failure& why) noexcept {
  cell& c = on_.actor;
  const auto [said, message] = result;
  const actor_parts* const parts = c.parts;
  if (parts != nullptr && !parts->deferred.empty())
    (void)c.box.give_notice();  // they waited for the coroutine; the cell is running
  if (said == call_result::failed) {
    const message_operations* const in = message == nullptr ? nullptr : message->operations;
    fail(in, message == nullptr ? origin{} : message->from, why);
  } else if (said == call_result::done && message != nullptr) {
    const bool counts = message->kind != envelope_kind::system && counts_as_activity(*message);
    c.active = c.active || counts;
  }
  c.current = nullptr;
  if (message != nullptr) {
    if (c.filtered && message->kind != envelope_kind::system)
      linked().middleware->tell(*this, *message, said, false);  // the coroutine had its contents
    tasks.release_message(on_.thread, *message);
  }
  return c.wanted.stop ? stop(nullptr) : turn_step::continue_turn;
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
  cell& c = on_.actor;
  envelope* const e = c.reader.single_system(c.box);
  if (e == nullptr || !is_answer(*e, c)) return run();
  c.reader.resume_by_notice(c.box);
  if (has_more_to_do(c) || !c.reader.take_single_system(c.box, *e)) [[unlikely]] {
    c.reader.suspend(c.box);
    (void)c.box.give_notice();  // the cell is running
    return run();
  }
  if (on_.thread.counters != nullptr) on_.thread.counters->system_messages_handled.add(1);
  actor_tasks& tasks = *c.parts->suspension->tasks;
  const task_step went = tasks.run_with(on_.system, on_.thread, c, *e, on_.thread.failures.why);
  const bool waits = went.said == call_result::awaiting && tasks.waits;
  if (!waits || !c.reasons.empty() || c.wanted.anything()) [[unlikely]]
    return run_after_await(tasks, went);
  begin_await(on_.system, on_.thread, c, tasks.waits_since_ns);
  c.current = nullptr;
  if (c.reader.suspend_idle(c.box))
    return {.how = invoke_result::outcome::suspended,
            .reason = suspend_reason::await_external,
            .messages = 1};
  c.reader.suspend(c.box);
  ++handled_;
  return run();
}

/// The coroutine has ended, its actor does not wait, or it waits for something else besides.
invoke_result turn::run_after_await(actor_tasks& tasks, const task_step& result) noexcept {
  cell& c = on_.actor;
  if (result.said == call_result::unhandled) {  // a late answer: it still awaits
    c.reader.suspend(c.box);
    return run();
  }
  if (tasks.waits) suspend_for_await(on_.system, on_.thread, c, tasks.waits_since_ns);
  ++handled_;
  return run(end_task_step(tasks, result, on_.thread.failures.why));
}

const coroutine_functions coroutine_feature{
    .go_on = [](turn& in, actor_tasks& tasks) noexcept { return in.continue_task(tasks); },
    .run_awaited = [](turn& in) noexcept { return in.run_awaited(); }};

}  // namespace tactor::inline v0::internal
