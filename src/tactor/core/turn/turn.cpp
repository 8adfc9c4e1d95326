// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/turn/turn.hpp"

#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_tasks.hpp"
#include "tactor/core/life/receive_timeout.hpp"
#include "tactor/core/life/stash.hpp"
#include "tactor/core/observe/turn_times.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/full.hpp"
#include "tactor/core/send/post.hpp"

#include <utility>

namespace tactor::inline v0::internal {

namespace {

using outcome = invoke_result::outcome;
using left = mailbox_reader::left;

/// The result of most turns.
constexpr invoke_result one_message{.how = outcome::completed, .messages = 1};

bool is_plain(const envelope& e, const cell& to) noexcept {
  // The detail of a plain message is 0 but for marks, and then a step looks at them.
  return e.kind == envelope_kind::message && e.detail == 0 && e.generation == to.tenant;
}

call_result call_plain(thread_record& thread, cell& c, envelope& e) noexcept {
  c.current = &e;
  thread.handling.store(e.operations, relaxed);  // relaxed: a hint
  return running_type(c).receive(c.object, context_of(c), e, thread.failures.why);
}

/// Calls the continuation of the ask that the answer belongs to. Returns: `unhandled`, and nothing
/// was done, if it is for the loop.
call_result take_answer(const turn_context& in, envelope& answer) noexcept {
  in.actor.current = nullptr;
  in.thread.handling.store(answer.operations, relaxed);  // relaxed: a hint
  const call_result said = program_features().asks->take_single(in, answer, in.thread.failures.why);
  in.actor.current = &answer;
  return said;
}

}  // namespace

// The short way of a single message to a running actor without limits, which most turns are. An
// answer to an ask of the actor takes it, too.
invoke_result run_turn(system_services& system, thread_record& thread, cell& c) noexcept {
  thread.sender = origin::of_actor(c.slot, c.tenant);
  envelope* const only = c.ordinary ? c.reader.single(c.box) : nullptr;
  const bool plain = only != nullptr && is_plain(*only, c);
  if (!plain && (only == nullptr || only->kind != envelope_kind::answer)) [[unlikely]]
    return turn::run_loop({system, thread, c});
  const call_result said =
      plain ? call_plain(thread, c, *only) : take_answer({system, thread, c}, *only);
  if (said == call_result::unhandled && !plain) return turn::run_loop({system, thread, c});
  if (said != call_result::done || c.wanted.anything()) [[unlikely]]
    return turn::run_after({system, thread, c}, said, *only);
  if (only->operations->destroy != nullptr) only->operations->destroy(payload_of(*only));
  if (!c.reader.try_finish_single(c.box, *only)) [[unlikely]]
    return turn::run_after_single({system, thread, c}, *only);
  free_envelope(thread, *only);
  return one_message;
}

// Out of line, so that the short way has neither the object nor its stack.

[[gnu::noinline]] invoke_result turn::run_loop(const turn_context& in) noexcept {
  const cell& c = in.actor;
  const bool awaits =
      c.extended && in.thread.trace.recorder == nullptr && only_awaits(c) && c.box.peek().noticed();
  turn rest{in};
  return awaits ? program_features().coroutines->run_awaited(rest) : rest.run();
}

[[gnu::noinline]] invoke_result turn::run_after(const turn_context& in, call_result said,
                                                envelope& handled) noexcept {
  in.actor.reader.take_single(handled);
  turn rest{in};
  return rest.run(rest.end_plain(said, handled));
}

[[gnu::noinline]] invoke_result turn::run_after_single(const turn_context& in,
                                                       envelope& handled) noexcept {
  in.actor.reader.take_single(handled);
  turn rest{in};
  ++rest.handled_;
  const turn_step went = rest.leave(handled);
  free_envelope(in.thread, handled);
  return rest.run(went);
}

invoke_result run_measured_turn(const turn_context& in) noexcept {
  turn_times* const times = times_of(in.thread.counters);
  if (times == nullptr) return run_turn(in);
  in.thread.sender = origin::of_actor(in.actor.slot, in.actor.tenant);
  times->measuring = true;
  in.thread.fast_limits = thread_record::measured;
  const invoke_result result = turn{in}.run();
  in.thread.fast_limits = 0;  // no handler was called that could be measured
  times->measuring = false;
  return result;
}

invoke_result run_traced_turn(const turn_context& in) noexcept {
  in.thread.sender = origin::of_actor(in.actor.slot, in.actor.tenant);
  in.thread.fast_limits = thread_record::traced;
  const invoke_result result = turn{in}.run();
  in.thread.fast_limits = 0;
  return result;
}

namespace {

// The end of a turn.

/// Changes what senders are told: whether the actor is overloaded.
[[gnu::noinline]] void change_overloaded(cell& c, bool is_overloaded) noexcept {
  if (program_features().limits == nullptr) return;  // no sender would look at it
  if (is_overloaded) {
    c.limits.fetch_or(mailbox_limits::overloaded_bit, relaxed);  // relaxed: a hint
  } else {
    c.limits.fetch_and(~mailbox_limits::overloaded_bit, relaxed);  // relaxed: a hint
  }
}
/// Tells senders whether the actor keeps up. A hint, which may reach the slot's next tenant.
void set_overloaded(cell& c, bool is_overloaded) noexcept {
  const mailbox_limits now{c.limits.load(relaxed)};  // relaxed: a hint
  if (now.overloaded() != is_overloaded) change_overloaded(c, is_overloaded);
}

/// Gives back what the turn has used, and corrects its result: messages from a stash left the
/// mailbox in an earlier turn.
invoke_result settle_turn(const turn_context& in, invoke_result result) noexcept {
  thread_record& thread = in.thread;
  if (thread.capacity_used != nullptr) [[unlikely]]
    program_features().suspension->give_back_used_capacity(
        thread);  // of an actor resumed in this turn
  if (thread.kept_permits != 0) [[unlikely]]
    program_features().limits->release_permits(in.actor, std::exchange(thread.kept_permits, 0));
  if (thread.replayed != 0) [[unlikely]]
    result.messages -= std::exchange(thread.replayed, 0);
  return result;
}

}  // namespace

// The loop.

/// Returns: the next message if nothing else is to be done, and nothing is to be done around its
/// handler; null otherwise.
inline envelope* turn::next_plain() noexcept {
  const mailbox_word word = actor.box.peek();
  const bool nothing_else =
      actor.ordinary && thread.fast_limits == 0 && !word.noticed() && !word.suspended();
  envelope* const e = nothing_else ? actor.reader.front(actor.box) : nullptr;
  return e != nullptr && is_plain(*e, actor) ? e : nullptr;
}

inline turn_step turn::handle_plain(envelope& e) noexcept {
  const call_result said = call_plain(thread, actor, e);
  if (said != call_result::done || actor.wanted.anything()) [[unlikely]]
    return end_plain(said, e);
  ++handled_;
  if (e.operations->destroy != nullptr) e.operations->destroy(payload_of(e));
  const left rest = actor.reader.advance(actor.box, e);
  free_envelope(thread, e);
  if (rest != left::idle) return turn_step::continue_turn;
  set_overloaded(actor, false);
  return turn_step::idle;
}

/// The handler of a plain message did not return `done`, or its actor stops or has a receive
/// timeout.
turn_step turn::end_plain(call_result said, envelope& e) noexcept {
  ++handled_;
  if (said != call_result::done) {
    settle(said, e, thread.failures.why);
  } else if (counts_as_activity(e)) {
    actor.active = true;
  }
  return finish(e, said);
}

/// The loop: everything but a single message goes through it.
invoke_result turn::run(turn_step went) noexcept {
  while (went == turn_step::continue_turn) {
    if (budget_.is_used_up(handled_)) return yield();
    if (envelope* const e = next_plain()) [[likely]] {
      went = handle_plain(*e);
    } else {
      budget_.begin_step(handled_);
      went = step();
      budget_.end_step(handled_);
    }
  }
  return end(went);
}

/// Ends the turn although there is more to do.
invoke_result turn::yield() noexcept {
  // An actor that uses up a turn of so many messages does not keep up with its senders.
  constexpr std::uint32_t many = 256;
  if (budget_.has_no_messages_left(handled_) && handled_ >= many) set_overloaded(actor, true);
  if (actor.wanted.has_receive_timeout) internal::note_activity(system, actor);
  return settle_turn(*this, {.how = outcome::yielded, .messages = handled_});
}

/// Ends the turn after its last step.
invoke_result turn::end(turn_step last) noexcept {
  outcome how = outcome::completed;
  if (last == turn_step::stopped) how = outcome::stopped;
  if (last == turn_step::suspended) how = outcome::suspended;
  if (failed_) how = outcome::failed;
  return settle_turn(*this, {.how = how,
                             .reason = suspended_for_.reason,
                             .resume_on = suspended_for_.condition,
                             .messages = handled_});
}

}  // namespace tactor::inline v0::internal
