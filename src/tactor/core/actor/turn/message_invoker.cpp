// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/turn/message_invoker.hpp"

#include "tactor/core/actor/cell/mailbox_limits.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/lifecycle/actor_tasks.hpp"
#include "tactor/core/actor/lifecycle/extras/receive_timeout.hpp"
#include "tactor/core/actor/lifecycle/fault_handling.hpp"
#include "tactor/core/actor/lifecycle/lifecycle.hpp"
#include "tactor/core/actor/lifecycle/pending_asks.hpp"
#include "tactor/core/actor/lifecycle/stash.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"
#include "tactor/core/observe/turn_times.hpp"
#include "tactor/core/observe/worker_counters.hpp"

#include <algorithm>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

using outcome = invoke_result::outcome;
using left = mailbox_reader::left;

/// The result of most turns, in one word.
constexpr invoke_result one_message{.how = outcome::completed, .messages = 1};

/// Corrects the result of a turn: messages from a stash left the mailbox in an earlier one.
void leave_out_replayed(thread_record& here, invoke_result& result) noexcept {
  if (here.replayed != 0) [[unlikely]]
    result.messages -= std::exchange(here.replayed, 0);
}
invoke_result without_replayed(thread_record& here, invoke_result result) noexcept {
  leave_out_replayed(here, result);
  return result;
}

/// Gives back what the turn has used, and what it keeps.
void settle_turn(thread_record& here) noexcept {
  if (here.capacity_used != nullptr) [[unlikely]]
    give_back_used_capacity(here);  // of an actor that was resumed in this turn
  if (here.keeps_permits != nullptr) [[unlikely]]
    settle_permits(here);
}

bool takes_fast_path(const cell& c) noexcept {
  const mailbox_word word = c.box.peek();
  return c.ordinary && !word.noticed() && !word.suspended();
}
bool is_plain(const envelope& e, const cell& to) noexcept {
  return e.kind == envelope_kind::message && e.generation == to.tenant;
}

/// Finishes a message that was handled.
[[gnu::always_inline]] inline left finish_handled(thread_record& here, cell& c,
                                                  envelope& e) noexcept {
  if (e.operations->destroy != nullptr) e.operations->destroy(payload_of(e));
  const left rest = c.reader.advance(c.box, e);
  free_envelope(here, e);
  return rest;
}
[[gnu::noinline]] left finish_on_board(thread_record& here, cell& c, envelope& e) noexcept {
  return finish_handled(here, c, e);
}

/// Finishes a message of an actor that has a receive timeout. The slow path records the activity
/// before the actor becomes idle.
void finish_active(thread_record& here, cell& c, envelope& e) noexcept {
  if (counts_as_activity(e)) c.active = true;
  if (e.operations->destroy != nullptr) e.operations->destroy(payload_of(e));
  c.reader.skip(c.box, e);
  free_envelope(here, e);
}

// The slow path. A board takes it out of line, where its state is not in the frame of a turn that handles messages.

[[gnu::always_inline]] inline step_result step_slowly(system_services& services,
                                                      thread_record& here, cell& c,
                                                      std::uint32_t most,
                                                      mail_order order) noexcept {
  return slow_path{services, here, c}.run_one(most, order);
}
[[gnu::noinline]] step_result step_on_board(system_services& services, thread_record& here, cell& c,
                                            std::uint32_t most, mail_order order) noexcept {
  return slow_path{services, here, c}.run_one_in_line(most, order);
}
/// The handler of `c.current` did not return `done`, or stops its actor.
[[gnu::always_inline]] inline step_result
settle_slowly(system_services& services, thread_record& here, cell& c, call_result said) noexcept {
  return slow_path{services, here, c}.after_handler(said, *c.current, here.failures.get().why);
}
[[gnu::noinline]] step_result settle_on_board(system_services& services, thread_record& here,
                                              cell& c, call_result said) noexcept {
  return settle_slowly(services, here, c, said);
}

/// Detects a long turn without reading the clock for every message.
class slice_watch {
public:
  explicit slice_watch(const system_services& services) noexcept
      : next_check_(services.constants.slice_ns() == 0 ? never : 1) {}

  /// Whether the turn is too long. Reads the clock.
  [[nodiscard]] bool is_over_now(system_services& services) noexcept {
    return services.constants.slice_ns() != 0 && check(next_check_, services);
  }
  /// Likewise, after `handled` messages. Reads the clock only now and then.
  [[nodiscard]] bool is_over(std::uint32_t handled, system_services& services) noexcept {
    return handled >= next_check_ && check(handled, services);
  }

private:
  static constexpr std::uint32_t never = ~std::uint32_t{0};

  [[gnu::always_inline]] bool check(std::uint32_t handled, system_services& services) noexcept {
    if constexpr (port::has_interrupts) return check_out_of_line(handled, services);
    return check_clock(handled, services);
  }
  [[gnu::noinline]] bool check_out_of_line(std::uint32_t handled,
                                           system_services& services) noexcept {
    return check_clock(handled, services);
  }
  bool check_clock(std::uint32_t handled, system_services& services) noexcept {
    const std::uint64_t length_ns = services.constants.slice_ns();
    const std::uint64_t now_ns = services.now_ns();
    if (began_ns_ == 0) began_ns_ = now_ns;
    const std::uint64_t passed = now_ns - began_ns_;
    next_check_ = handled + after(handled, passed, length_ns);
    return passed >= length_ns;
  }
  /// How many more messages to handle before the next check: at their present pace they take at most a quarter of the slice,
  /// and near its end a thirty-second part, so that a turn of equal messages is not much longer than the slice.
  [[nodiscard]] static std::uint32_t after(std::uint32_t handled, std::uint64_t passed,
                                           std::uint64_t length_ns) noexcept {
    if (passed <= length_ns / 4) return handled;
    const std::uint32_t more = passed <= length_ns / 2 ? handled / 2 : handled / 32;
    return more != 0 ? more : 1;
  }

  std::uint64_t began_ns_ = 0;
  std::uint32_t next_check_;
};

/// An actor that uses up a turn of so many messages does not keep up with its senders.
constexpr std::uint32_t overload_threshold = 256;

/// A turn ends after so many steps without a message: an actor whose restarts keep failing handles
/// no message at all.
constexpr std::uint32_t most_idle_steps = 1024;

/// System messages are handled so many at a time, and then the limits of the turn are checked.
constexpr std::uint32_t system_batch = 16;

/// Tells senders whether the actor keeps up. A hint, which may reach the slot's next tenant.
void note_overload(cell& c, bool is_overloaded) noexcept {
  if constexpr (port::has_interrupts) return;        // no other worker could help
  const mailbox_limits now{c.limits.load(relaxed)};  // relaxed: a hint
  if (now.overloaded() == is_overloaded) return;
  if (is_overloaded) {
    c.limits.fetch_or(mailbox_limits::overloaded_bit, relaxed);  // relaxed: a hint
  } else {
    c.limits.fetch_and(~mailbox_limits::overloaded_bit, relaxed);  // relaxed: a hint
  }
}

}  // namespace

/// The result of a turn that ended on the slow path.
invoke_result message_invoker::result_of(const step_result& last, bool failed,
                                         std::uint32_t handled) noexcept {
  outcome how = outcome::completed;
  if (last.where == turn_step::stopped) how = outcome::stopped;
  if (last.where == turn_step::suspended) how = outcome::suspended;
  if (failed) how = outcome::failed;
  return {.how = how, .reason = last.reason, .resume_on = last.resume_on, .messages = handled};
}

// A board has no space for a path of its own. Its result has one place: on a small machine no register holds it.
invoke_result message_invoker::invoke_on_board(thread_record& here, cell& c) noexcept {
  invoke_result result = run_turn(here, c, 0, false);
  settle_turn(here);
  leave_out_replayed(here, result);
  return result;
}

// There are three paths for a message. This is the shortest, for a single message to a running
// actor without limits, which most turns are. `run_turn` has the fast path for many messages, and
// calls `slow_path` for the rest.
invoke_result message_invoker::invoke(thread_record& here, cell& c) noexcept {
  here.sender = origin::of_actor(c.slot, c.tenant);
  if constexpr (port::has_interrupts) return invoke_on_board(here, c);
  envelope* const e = c.ordinary ? c.reader.single(c.box) : nullptr;
  if (e == nullptr || !is_plain(*e, c)) [[unlikely]] {
    const bool answer = e != nullptr && e->kind == envelope_kind::answer;
    return answer ? take_single_answer(here, c, *e) : continue_turn(here, c, 0, false);
  }
  c.current = e;
  here.handling.store(e->operations, relaxed);  // relaxed: a hint
  const call_result said = c.type->receive(c.object, context_of(c), *e, here.failures.get().why);
  if (said != call_result::done || c.wanted.anything()) [[unlikely]]
    return after_single(here, c, said);
  // Not `finish_single`: merging both results costs the compiler a copy of each member.
  if (!try_finish_single(here, c, *e)) [[unlikely]]
    return finish_single_slow(here, c, *e);
  return one_message;
}

// The slow path takes any message, and measures. Its sends are measured, too.
invoke_result message_invoker::invoke_measured(thread_record& here, cell& c) noexcept {
  turn_times* const times = times_of(here.counters);
  if (times == nullptr) return invoke(here, c);
  here.sender = origin::of_actor(c.slot, c.tenant);
  here.fast_limits = thread_record::measured;
  times->measuring = true;
  const step_result first =
      slow_path{services_, here, c}.run_one(system_batch, mail_order::system_first);
  times->measuring = false;
  here.fast_limits = 0;
  if (first.where == turn_step::continue_turn && !first.yields)
    return continue_turn(here, c, first.handled, first.failed);
  settle_turn(here);
  if (first.where == turn_step::continue_turn)
    return without_replayed(here, {.how = outcome::yielded, .messages = first.handled});
  return without_replayed(here, result_of(first, first.failed, first.handled));
}

// A message that is part of the trace takes the slow path, by its kind, and so does what is sent.
invoke_result message_invoker::invoke_traced(thread_record& here, cell& c) noexcept {
  here.sender = origin::of_actor(c.slot, c.tenant);
  here.fast_limits = thread_record::traced;
  const invoke_result result = continue_turn(here, c, 0, false);
  here.fast_limits = 0;
  return result;
}

bool message_invoker::try_finish_single(thread_record& here, cell& c, envelope& e) noexcept {
  if (e.operations->destroy != nullptr) e.operations->destroy(payload_of(e));
  if (!c.reader.try_finish_single(c.box, e)) [[unlikely]]
    return false;
  free_envelope(here, e);
  return true;
}
invoke_result message_invoker::finish_single(thread_record& here, cell& c, envelope& e) noexcept {
  return try_finish_single(here, c, e) ? one_message : finish_single_slow(here, c, e);
}

invoke_result message_invoker::after_single(thread_record& here, cell& c,
                                            call_result said) noexcept {
  envelope& e = *c.current;
  if (said == call_result::done && !c.wanted.stop) {
    c.active = c.active || counts_as_activity(e);
    internal::note_activity(services_, c);
    return finish_single(here, c, e);
  }
  c.reader.take_single(e);
  if (said != call_result::done) return after_handler(here, c, said);
  const step_result stop = settle_slowly(services_, here, c, said);
  if (stop.where == turn_step::stopped) return {.how = outcome::stopped, .messages = 1};
  return continue_turn(here, c, 1, false);
}

invoke_result message_invoker::finish_single_slow(thread_record& here, cell& c,
                                                  envelope& e) noexcept {
  const left rest = c.reader.finish_single_slow(c.box, e);
  free_envelope(here, e);
  if (rest == left::idle) return one_message;
  return continue_turn(here, c, 1, false);
}

// The path of `invoke` for a single answer.
invoke_result message_invoker::take_single_answer(thread_record& here, cell& c,
                                                  envelope& e) noexcept {
  c.current = nullptr;
  here.handling.store(e.operations, relaxed);  // relaxed: a hint
  const call_result said = internal::take_answer(here, services_, c, e, here.failures.get().why);
  if (said == call_result::unhandled) return continue_turn(here, c, 0, false);
  c.current = &e;
  if (said == call_result::done && !c.wanted.stop) {
    if (c.wanted.has_receive_timeout) {
      c.active = true;
      internal::note_activity(services_, c);
    }
    return finish_single(here, c, e);
  }
  c.reader.take_single(e);
  return after_handler(here, c, said);
}

invoke_result message_invoker::after_handler(thread_record& here, cell& c,
                                             call_result said) noexcept {
  const step_result longer = settle_slowly(services_, here, c, said);
  if (longer.where != turn_step::continue_turn) return result_of(longer, longer.failed, 1);
  return continue_turn(here, c, 1, longer.failed);
}

invoke_result message_invoker::continue_turn(thread_record& here, cell& c, std::uint32_t handled,
                                             bool failed) noexcept {
  // A board does not need it.
  const bool awaits = !port::has_interrupts && c.extended && handled == 0 &&
                      here.trace.recorder == nullptr && only_awaits(c) && c.box.peek().noticed();
  return awaits ? run_awaited(here, c) : start_or_run_turn(here, c, handled, failed);
}

invoke_result message_invoker::start_or_run_turn(thread_record& here, cell& c,
                                                 std::uint32_t handled, bool failed) noexcept {
  const bool starts = handled == 0 && must_start(c) && !c.timed;  // the start counts as time, too
  return finish_turn(here, starts ? run_first(here, c) : run_turn(here, c, handled, failed));
}

/// Corrects the result of a turn, and gives back what the turn has used.
invoke_result message_invoker::finish_turn(thread_record& here, invoke_result result) noexcept {
  settle_turn(here);
  return without_replayed(here, result);
}

// Most actors have one message when they start, which then takes the path of any single message.
invoke_result message_invoker::run_first(thread_record& here, cell& c) noexcept {
  start(services_, here, c);
  const bool failed = c.object == nullptr;
  if (c.wanted.stop) [[unlikely]] {
    if (begin_stop(services_, here, c, nullptr) == lifecycle_step::ended)
      return result_of({.where = turn_step::stopped}, failed, 0);
    return run_turn(here, c, 0, failed);
  }
  if (failed || c.box.peek().noticed()) return run_turn(here, c, 0, failed);
  return invoke(here, c);
}

// One loop for both paths keeps its state in registers.
// NOLINTNEXTLINE(readability-function-cognitive-complexity, readability-function-size)
invoke_result message_invoker::run_turn(thread_record& here, cell& c, std::uint32_t handled,
                                        bool failed) noexcept {
  const auto& limit_of_time = services_.constants->limits.time;
  const std::uint64_t until_ns = limit_of_time ? end_of_turn(*limit_of_time) : 0;
  slice_watch slice{services_};
  std::uint32_t most = services_.constants->limits.messages;
  const std::uint32_t most_system = services_.constants->limits.system_messages;
  std::uint32_t system_left = most_system;
  const std::uint32_t sent_before = here.sends;  // what a single message sent is not counted
  std::uint32_t idle_steps = 0;
  while (true) {
    // Without a time limit no clock is read.
    const bool others_are_due =
        handled >= most || here.sends - sent_before >= services_.constants->limits.sends ||
        (until_ns != 0 && services_.now_ns() >= until_ns) || slice.is_over(handled, services_);
    if (others_are_due) {
      if (handled >= most && handled >= overload_threshold) note_overload(c, true);
      if (c.wanted.has_receive_timeout) internal::note_activity(services_, c);
      return {.how = outcome::yielded, .messages = handled};
    }
    step_result longer;
    envelope* const e = takes_fast_path(c) ? c.reader.front(c.box) : nullptr;
    if (e != nullptr && is_plain(*e, c)) [[likely]] {
      c.current = e;
      here.handling.store(e->operations, relaxed);  // relaxed: a hint
      const call_result said =
          c.type->receive(c.object, context_of(c), *e, here.failures.get().why);
      if (said == call_result::done && !c.wanted.anything()) [[likely]] {
        ++handled;
        const left rest =
            port::has_interrupts ? finish_on_board(here, c, *e) : finish_handled(here, c, *e);
        if (rest == left::idle) {
          note_overload(c, false);
          return {.how = outcome::completed, .messages = handled};
        }
        continue;
      }
      if (said == call_result::done && !c.wanted.stop) {
        ++handled;
        finish_active(here, c, *e);
        continue;
      }
      longer = port::has_interrupts ? settle_on_board(services_, here, c, said)
                                    : settle_slowly(services_, here, c, said);
    } else {
      const std::uint32_t few = std::min(system_left, system_batch);
      const mail_order order =
          system_left > most_system / 2 ? mail_order::system_first : mail_order::in_turn;
      longer = port::has_interrupts ? step_on_board(services_, here, c, few, order)
                                    : step_slowly(services_, here, c, few, order);
      system_left -= std::min(system_left, longer.system_messages);
      const bool had_system = longer.system_messages != 0;
      if (had_system && (system_left == 0 || slice.is_over_now(services_))) most = 0;
      const bool in_vain = longer.handled == 0 && ++idle_steps == most_idle_steps;
      if (in_vain && longer.where == turn_step::continue_turn)
        return {.how = outcome::yielded, .messages = handled};
    }
    handled += longer.handled;
    if (longer.yields) most = 0;
    failed = failed || longer.failed;
    if (longer.where != turn_step::continue_turn) return result_of(longer, failed, handled);
  }
}

std::uint64_t message_invoker::end_of_turn(duration length) noexcept {
  return services_.now_ns() + static_cast<std::uint64_t>(length.nanoseconds());
}

}  // namespace tactor::inline v0::internal
