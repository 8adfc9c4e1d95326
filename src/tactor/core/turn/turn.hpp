// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/life/actor_deadlines.hpp"
#include "tactor/core/life/start_stop.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/turn/turn_budget.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

class actor_tasks;
struct ask_slot;
struct task_step;
struct turn_times;

/// Runs one turn of an actor: what the runtime wants of it first, then messages of users, one at a
/// time, within the system's limits. Returns: how the turn ended; the executor acts on it.
///
/// This is the only code that calls message handlers. Context: a thread of the system, with a cell
/// that was drained from its coordinator.
invoke_result run_turn(system_services& system, thread_record& thread, cell& actor) noexcept;
inline invoke_result run_turn(const turn_context& in) noexcept {
  return run_turn(in.system, in.thread, in.actor);  // in registers: most turns need no object
}
/// Like `run_turn`, and measures the first handler. Requires: this thread measures times.
invoke_result run_measured_turn(const turn_context& in) noexcept;
/// Like `run_turn`, and records what is handled and sent. Requires: a trace runs on this thread.
invoke_result run_traced_turn(const turn_context& in) noexcept;
/// Returns: the failure of the turn that failed last on this thread, and the strategy's back-off.
[[nodiscard]] inline turn_failure last_failure() noexcept {
  const thread_failures& last = this_thread().failures;
  return {.error = last.why, .retry_after = last.retry_after};
}

/// The state of a turn after a step.
enum class turn_step : std::uint8_t {
  continue_turn,  // the worker still owns the cell
  idle,           // the worker has released the cell
  suspended,      // released, and queued messages wait until the actor is resumed
  stopped,        // the actor has ended
};

/// The decision of middleware about a message.
enum class admittance : std::uint8_t { proceed, drop, hold };

/// One turn of an actor, a step at a time. A step handles at most one message, or some system
/// messages, or some messages of the stash. Context: the worker that runs the cell.
///
/// `turn.cpp` has the loop and its limits, `step.cpp` chooses the next step and handles messages,
/// `notice_step.cpp` handles what the runtime wants of the actor, `task_step.cpp` coroutines, and
/// `call.cpp` calls the handler, with everything around the call.
class turn : public turn_context {
public:
  explicit turn(const turn_context& in) noexcept : turn_context(in) {}

  /// Runs steps until the turn is over, after a step that has ended like this.
  invoke_result run(turn_step went = turn_step::continue_turn) noexcept;
  /// Runs the turn of an actor for which `only_awaits` holds, with a notice.
  invoke_result run_awaited() noexcept;

  // How a turn goes on that has begun as `run_turn`.

  /// Runs a turn that is not a single plain message.
  static invoke_result run_loop(const turn_context& in) noexcept;
  /// Goes on after the handler of the only message: it did not return `done`, or its actor stops or
  /// has a receive timeout.
  static invoke_result run_after(const turn_context& in, call_result said,
                                 envelope& handled) noexcept;
  /// Goes on after the only message was handled: others have come. Requires: its payload is
  /// destroyed.
  static invoke_result run_after_single(const turn_context& in, envelope& handled) noexcept;

  // Steps of features, which the core calls through their rows in core/features.hpp.

  /// Calls the continuation of the ask that `answer` belongs to. Returns: false if no such ask is
  /// pending.
  [[nodiscard]] bool continue_ask(envelope& answer) noexcept;
  /// The timeout of an ask of the actor, or of one of its coroutines, has passed.
  void handle_due_asks(std::uint64_t now_ns) noexcept;
  /// Continues a coroutine whose result has come.
  turn_step continue_task(actor_tasks& tasks) noexcept;
  /// The timer of the actor's deadlines has fired.
  void handle_deadline_timer(envelope& e) noexcept;
  /// The receive timeout of the actor may be over.
  void deliver_receive_timeout(std::uint64_t now_ns) noexcept;
  /// Handles the next message of a mailbox with a side queue.
  turn_step handle_side_queue() noexcept;
  /// Returns: whether a message waits in a mailbox with a side queue.
  [[nodiscard]] bool waits_in_side_queue() noexcept;
  /// `leave`, for a mailbox with a side queue.
  turn_step leave_side_queue() noexcept;
  /// Handles a message of an actor with middleware.
  turn_step handle_filtered(envelope& e) noexcept;
  /// Asks the middleware whether `e` may be handled, and suspends the actor if it holds `e`. If it
  /// holds or drops `e`, those that were asked before are told.
  [[nodiscard]] admittance admit(envelope& e) noexcept;
  /// Tells the middleware that the handler of `e` has returned.
  void tell_middleware(envelope& e, call_result said, bool has_message) noexcept;
  /// Calls the handler of `e` and measures how long it takes.
  [[nodiscard]] call_result call_measured(turn_times& times, envelope& e, failure& why) noexcept;
  /// Handles messages of the stash: a few, then the limits of the turn are checked.
  turn_step replay(envelope& oldest) noexcept;
  /// Handles a timer's message.
  turn_step handle_timer(envelope& e) noexcept;
  /// `reject`, for a timer's message.
  turn_step reject_timer(envelope& e, drop_reason why) noexcept;
  /// A watched actor has ended. The watcher is told when it runs, before its messages, in the order
  /// of terminations.
  void deliver_terminated(envelope& e) noexcept;
  /// Tells the watcher of terminations that had to wait.
  void deliver_deferred_terminated() noexcept;

private:
  /// The kinds of steps of a turn.
  enum class work : std::uint8_t { start, notice, coroutine, message, nothing };

  // turn.cpp
  [[nodiscard]] envelope* next_plain() noexcept;
  turn_step handle_plain(envelope& e) noexcept;
  turn_step end_plain(call_result said, envelope& e) noexcept;
  [[nodiscard]] invoke_result yield() noexcept;
  [[nodiscard]] invoke_result end(turn_step last) noexcept;

  // step.cpp
  turn_step step() noexcept;
  [[nodiscard]] work next() const noexcept;
  turn_step handle_next_message() noexcept;
  turn_step handle_admitted(envelope& e) noexcept;
  turn_step handle_message(envelope& e) noexcept;
  turn_step handle_answer(envelope& e) noexcept;
  turn_step handle_stray(envelope_chain& strays) noexcept;
  void handle_reserved(envelope& e, admittance said) noexcept;
  void replay_one(envelope& stashed) noexcept;
  void expire_asks(std::uint64_t now_ns) noexcept;
  void expire_held_back_asks(std::uint64_t now_ns) noexcept;
  void fail_ask(ask_slot& slot, ask_failure why_none, std::uint64_t now_ns) noexcept;
  turn_step reject(envelope& e, drop_reason why) noexcept;
  turn_step finish(envelope& e, call_result said) noexcept;
  turn_step leave(envelope& e) noexcept;
  turn_step release_actor() noexcept;
  [[nodiscard]] bool has_to_wait() noexcept;

  // notice_step.cpp
  turn_step start_actor() noexcept;
  turn_step handle_notice() noexcept;
  turn_step handle_system_mail(envelope_chain mail) noexcept;
  [[nodiscard]] envelope_chain next_system_mail() noexcept;
  [[nodiscard]] bool defer_system_mail(envelope_chain rest) noexcept;
  [[nodiscard]] bool has_deferred_mail() const noexcept;
  void warn_of_flood() noexcept;
  void handle_system_message(envelope& e) noexcept;
  void apply_system_message(envelope& e, system_message_kind what) noexcept;
  void deliver_one_terminated(envelope& e) noexcept;
  void handle_deadline(deadline_of what, std::uint64_t now_ns) noexcept;

  // task_step.cpp
  turn_step end_task_step(actor_tasks& tasks, const task_step& result, const failure& why) noexcept;
  invoke_result run_after_await(actor_tasks& tasks, const task_step& result) noexcept;

  // call.cpp
  call_result receive(envelope& e) noexcept;
  void receive_taken(envelope& e) noexcept;
  void receive_notification(envelope& on_stack) noexcept;
  [[nodiscard]] call_result call(envelope& e, failure& why) noexcept;
  void record_latency(envelope& e) noexcept;
  void settle(call_result said, envelope& e, const failure& why) noexcept;
  void fail(const message_operations* message, origin asker, const failure& why) noexcept;

  /// Stops the actor; `handled` is the message that it handles now, or null.
  turn_step stop(envelope* handled) noexcept { return step_after(begin_stop(*this, handled)); }
  static turn_step step_after(lifecycle_step s) noexcept {
    return s == lifecycle_step::ended ? turn_step::stopped : turn_step::continue_turn;
  }
  /// Returns: whether the actor has an instance that goes on.
  [[nodiscard]] bool is_alive() const noexcept {
    const bool alive =
        actor.stage == lifecycle_stage::running || actor.stage == lifecycle_stage::draining;
    return alive && !actor.wanted.stop;
  }
  /// Returns: whether the actor's code may be called.
  [[nodiscard]] bool runs() const noexcept { return is_alive() && actor.reasons.empty(); }

  suspended_for suspended_for_{};  // the first reason, when the turn ends so
  turn_budget budget_{*this};
  const envelope* stray_ = nullptr;  // a timer's message that is handled outside of the side queue
  std::uint32_t handled_ = 0;        // messages of users, in this turn
  bool proceeded_ = false;       // all middleware let the message proceed, and waits for its end
  bool failed_ = false;          // code of the actor has failed in this turn
  bool called_ = false;          // code of the actor was called in this step
  bool message_is_due_ = false;  // it comes before the next notice
};

}  // namespace tactor::inline v0::internal
