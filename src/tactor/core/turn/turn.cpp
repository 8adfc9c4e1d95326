// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/turn/turn.hpp"

#include "tactor/base/duration.hpp"
#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_tasks.hpp"
#include "tactor/core/life/receive_timeout.hpp"
#include "tactor/core/life/stash.hpp"
#include "tactor/core/observe/turn_times.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/send/delivery.hpp"

#include <algorithm>
#include <utility>

namespace tactor::inline v0::internal {

// The end of a turn.

namespace {

using outcome = invoke_result::outcome;
using left = mailbox_reader::left;

/// The result of most turns.
constexpr invoke_result one_message{.how = outcome::completed, .messages = 1};

/// Detects a long turn without reading the clock for every message.
class time_slice {
public:
  explicit time_slice(const system_services& system) noexcept
      : next_check_(system.constants.limits.slice_ns == 0 ? never : 1) {}

  /// Returns: whether the turn is too long. Reads the clock.
  [[nodiscard]] bool is_over_now(system_services& system) noexcept {
    return system.constants.limits.slice_ns != 0 && check_clock(next_check_, system);
  }
  /// Likewise, after `handled` messages. Reads the clock only now and then.
  [[nodiscard]] bool is_over(std::uint32_t handled, system_services& system) noexcept {
    return handled >= next_check_ && check_clock(handled, system);
  }

private:
  static constexpr std::uint32_t never = ~std::uint32_t{0};

  [[gnu::noinline]] bool check_clock(std::uint32_t handled, system_services& system) noexcept {
    const std::uint64_t length_ns = system.constants.limits.slice_ns;
    const std::uint64_t now_ns = system.now_ns();
    if (began_ns_ == 0) began_ns_ = now_ns;
    const std::uint64_t passed = now_ns - began_ns_;
    next_check_ = handled + until_next_check(handled, passed, length_ns);
    return passed >= length_ns;
  }
  /// Returns: how many more messages to handle before the next check. At their present pace they
  /// take at most a quarter of the slice, and near its end a thirty-second part, so that a turn of
  /// equal messages is not much longer than the slice.
  [[nodiscard]] static std::uint32_t until_next_check(std::uint32_t handled, std::uint64_t passed,
                                                      std::uint64_t length_ns) noexcept {
    if (passed <= length_ns / 4) return handled;
    const std::uint32_t more = passed <= length_ns / 2 ? handled / 2 : handled / 32;
    return more != 0 ? more : 1;
  }

  std::uint64_t began_ns_ = 0;
  std::uint32_t next_check_;
};

/// Changes what senders are told: whether the actor is overloaded.
[[gnu::noinline]] void change_overloaded(cell& c, bool is_overloaded) noexcept {
  if (linked().limits == nullptr) return;  // no sender would look at it
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
invoke_result settle_turn(thread_record& thread, invoke_result result) noexcept {
  if (thread.capacity_used != nullptr) [[unlikely]]
    linked().suspension->give_back_used_capacity(thread);  // of an actor resumed in this turn
  if (thread.keeps_permits != nullptr) [[unlikely]]
    linked().limits->settle_permits(thread);
  if (thread.replayed != 0) [[unlikely]]
    result.messages -= std::exchange(thread.replayed, 0);
  return result;
}

}  // namespace

/// What a turn may use up before other actors run. Some limits are checked before each message,
/// none of them within a step.
class turn::budget {
public:
  explicit budget(const turn_context& in) noexcept
      : in_(in),
        limits_(in.system.constants.limits),
        slice_(in.system),
        system_messages_left_(limits_.system_messages),
        sent_before_(in.thread.sends) {
    if (limits_.time)  // without a time limit no clock is read
      until_ns_ = in.system.now_ns() + static_cast<std::uint64_t>(limits_.time->nanoseconds());
  }

  /// Returns: whether other actors are due after `handled` messages.
  [[nodiscard]] bool is_used_up(std::uint32_t handled) noexcept {
    return has_no_messages_left(handled) || in_.thread.sends - sent_before_ >= limits_.sends ||
           (until_ns_ != 0 && in_.system.now_ns() >= until_ns_) ||
           slice_.is_over(handled, in_.system);
  }
  [[nodiscard]] bool has_no_messages_left(std::uint32_t handled) const noexcept {
    return ends_ || handled >= limits_.messages;
  }
  /// Returns: how many system messages the next step may handle.
  [[nodiscard]] std::uint32_t system_messages() const noexcept {
    constexpr std::uint32_t most = 16;
    return std::min(system_messages_left_, most);
  }
  /// Returns: whether messages of users take turns with system messages, because the latter have
  /// used up half of the turn.
  [[nodiscard]] bool takes_turns() const noexcept {
    return system_messages_left_ <= limits_.system_messages / 2;
  }

  /// A step has handled so many system messages, and perhaps messages of users.
  void use(std::uint32_t system_messages, bool has_handled) noexcept {
    system_messages_left_ -= std::min(system_messages_left_, system_messages);
    if (system_messages != 0 && (system_messages_left_ == 0 || slice_.is_over_now(in_.system)))
      ends_ = true;
    // An actor whose restarts keep failing handles no message at all.
    constexpr std::uint32_t most_idle_steps = 1024;
    if (!has_handled && ++idle_steps_ == most_idle_steps) ends_ = true;
  }
  /// Nothing is left.
  void end() noexcept { ends_ = true; }

private:
  const turn_context in_;
  const turn_limits& limits_;
  time_slice slice_;
  std::uint64_t until_ns_ = 0;  // 0: for any time
  std::uint32_t system_messages_left_;
  const std::uint32_t sent_before_;
  std::uint32_t idle_steps_ = 0;
  bool ends_ = false;
};

namespace {

bool is_plain(const envelope& e, const cell& to) noexcept {
  // The detail of a plain message is 0 but for marks, and then a step looks at them.
  return e.kind == envelope_kind::message && e.detail == 0 && e.generation == to.tenant;
}

call_result call_plain(thread_record& thread, cell& c, envelope& e) noexcept {
  c.current = &e;
  thread.handling.store(e.operations, relaxed);  // relaxed: a hint
  return c.type->receive(c.object, context_of(c), e, thread.failures.why);
}

/// Calls the continuation of the ask that the answer belongs to. Returns: `unhandled`, and nothing
/// was done, if it is for the loop.
call_result take_answer(const turn_context& in, envelope& answer) noexcept {
  in.actor.current = nullptr;
  in.thread.handling.store(answer.operations, relaxed);  // relaxed: a hint
  const call_result said = linked().asks->take_single(in, answer, in.thread.failures.why);
  in.actor.current = &answer;
  return said;
}

// Out of line, so that the short way has neither the object nor its stack.

[[gnu::noinline]] invoke_result run_loop(const turn_context& in) noexcept {
  const cell& c = in.actor;
  const bool awaits =
      c.extended && in.thread.trace.recorder == nullptr && only_awaits(c) && c.box.peek().noticed();
  turn rest{in};
  return awaits ? linked().coroutines->run_awaited(rest) : rest.run();
}
[[gnu::noinline]] invoke_result run_loop_after(const turn_context& in, call_result said,
                                               envelope& handled) noexcept {
  return turn{in}.run_after(said, handled);
}
[[gnu::noinline]] invoke_result run_loop_after_single(const turn_context& in,
                                                      envelope& handled) noexcept {
  return turn{in}.run_after_single(handled);
}

}  // namespace

// The short way of a single message to a running actor without limits, which most turns are. An
// answer to an ask of the actor takes it, too.
invoke_result run_turn(system_services& system, thread_record& thread, cell& c) noexcept {
  thread.sender = origin::of_actor(c.slot, c.tenant);
  envelope* const only = c.ordinary ? c.reader.single(c.box) : nullptr;
  const bool plain = only != nullptr && is_plain(*only, c);
  if (!plain && (only == nullptr || only->kind != envelope_kind::answer)) [[unlikely]]
    return run_loop({system, thread, c});
  const call_result said =
      plain ? call_plain(thread, c, *only) : take_answer({system, thread, c}, *only);
  if (said == call_result::unhandled && !plain) return run_loop({system, thread, c});
  if (said != call_result::done || c.wanted.anything()) [[unlikely]]
    return run_loop_after({system, thread, c}, said, *only);
  if (only->operations->destroy != nullptr) only->operations->destroy(payload_of(*only));
  if (!c.reader.try_finish_single(c.box, *only)) [[unlikely]]
    return run_loop_after_single({system, thread, c}, *only);
  free_envelope(thread, *only);
  return one_message;
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
  return finish(e);
}

/// The loop: everything but a single message goes through it.
invoke_result turn::run(turn_step went) noexcept {
  budget all{*this};
  while (went == turn_step::continue_turn) {
    if (all.is_used_up(handled_)) return yield(all);
    if (envelope* const e = next_plain()) [[likely]]
      went = handle_plain(*e);
    else
      went = run_step(all);
  }
  return end(went);
}

turn_step turn::run_step(budget& all) noexcept {
  const std::uint32_t handled_before = handled_;
  system_messages_ = 0;
  most_system_messages_ = all.system_messages();
  takes_turns_ = all.takes_turns();
  const turn_step went = step();
  all.use(system_messages_, handled_ != handled_before);
  if (yields_) all.end();
  return went;
}

invoke_result turn::run_after(call_result said, envelope& handled) noexcept {
  actor.reader.take_single(handled);
  return run(end_plain(said, handled));
}

invoke_result turn::run_after_single(envelope& handled) noexcept {
  actor.reader.take_single(handled);
  ++handled_;
  const turn_step went = leave(handled);
  free_envelope(thread, handled);
  return run(went);
}

/// Ends the turn although there is more to do.
invoke_result turn::yield(const budget& used_up) noexcept {
  // An actor that uses up a turn of so many messages does not keep up with its senders.
  constexpr std::uint32_t many = 256;
  if (used_up.has_no_messages_left(handled_) && handled_ >= many) set_overloaded(actor, true);
  if (actor.wanted.has_receive_timeout) internal::note_activity(system, actor);
  return settle_turn(thread, {.how = outcome::yielded, .messages = handled_});
}

/// Ends the turn after its last step.
invoke_result turn::end(turn_step last) noexcept {
  outcome how = outcome::completed;
  if (last == turn_step::stopped) how = outcome::stopped;
  if (last == turn_step::suspended) how = outcome::suspended;
  if (failed_) how = outcome::failed;
  return settle_turn(thread, {.how = how,
                              .reason = suspended_for_.reason,
                              .resume_on = suspended_for_.condition,
                              .messages = handled_});
}

}  // namespace tactor::inline v0::internal
