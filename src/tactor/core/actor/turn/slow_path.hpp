// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/actor_type.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/system_message_kind.hpp"
#include "tactor/core/actor/cell/system_services.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/actor/delivery/answer.hpp"
#include "tactor/core/actor/lifecycle/lifecycle.hpp"
#include "tactor/core/actor/waiting/actor_deadlines.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/mailbox/envelope_chain.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

class actor_tasks;
struct task_step;

/// The state of a turn after a step.
enum class turn_step : std::uint8_t {
  continue_turn,  // the worker still owns the cell
  idle,           // the worker has released the cell
  suspended,      // released, and queued messages wait until the actor is resumed
  stopped,        // the actor has ended
};

/// The result of one step on the slow path.
struct step_result {
  turn_step where = turn_step::continue_turn;
  bool failed = false;
  bool yields = false;  // the turn ends: a coroutine lets others run
  suspend_reason reason = suspend_reason::user_defined;  // suspended
  tactor::resume_on resume_on = tactor::resume_on::resume;
  std::uint32_t handled = 0;          // messages of users
  std::uint32_t system_messages = 0;  // handled, too
};

/// Whether the actor starts in its next turn. An actor that failed to start waits for its directive.
[[nodiscard]] inline bool must_start(const cell& c) noexcept {
  return c.stage == lifecycle_stage::starting && !c.reasons.failed_itself();
}

/// Which messages come first.
enum class mail_order : std::uint8_t {
  system_first,  // no message of a user while a system message waits
  in_turn,       // one message of a user after the system messages that were there before it
};

/// The slow path of a turn, one step at a time: starting, stopping, requests, timers, limits, stale
/// messages, failures, suspensions. Out of line, to keep the fast path small. Context: the worker
/// that runs the cell.
class slow_path {
public:
  slow_path(system_services& services, thread_record& here, cell& c) noexcept
      : services_(services), here_(here), cell_(c) {}

  /// Does what is due next, at most one message, or `most` system messages. Requires: `most` is at
  /// least 1.
  [[nodiscard]] step_result run_one(std::uint32_t most, mail_order order) noexcept;
  /// `run_one` without a frame of its own, for a caller that is one.
  [[nodiscard]] [[gnu::always_inline]] step_result run_one_in_line(std::uint32_t most,
                                                                   mail_order order) noexcept {
    most_system_messages_ = most;
    order_ = order;
    return done(process_next());
  }
  /// A coroutine has ended, or awaits again.
  [[nodiscard]] step_result after_coroutine(actor_tasks& tasks, const task_step& went,
                                            const failure& why) noexcept;
  /// The handler of an ordinary message did not return `done`, or stops its actor.
  [[nodiscard]] step_result after_handler(call_result said, envelope& e,
                                          const failure& why) noexcept;

private:
  using step = turn_step;

  step_result done(step where) noexcept {
    result_.where = where;
    return result_;
  }
  void settle(call_result said, envelope& e, const failure& why) noexcept;
  void fail(const message_operations* in, origin asker, const failure& why) noexcept;

  step process_next() noexcept;
  step process_message() noexcept;
  [[gnu::always_inline]] step process_message_in_line() noexcept;
  [[nodiscard]] bool system_mail_comes_first() const noexcept;
  step process_notice() noexcept;
  step process_system() noexcept;
  step process_system_messages() noexcept;
  step take_system_messages(envelope_chain mail) noexcept;
  [[nodiscard]] envelope_chain next_system_messages() noexcept;
  [[nodiscard]] bool defer_system_messages(envelope_chain rest) noexcept;
  void note_flood() noexcept;
  void handle_system_message(envelope& e) noexcept;
  void apply_system_message(envelope& e, system_message_kind what) noexcept;
  void queue_reserved(envelope& e) noexcept;
  void deliver_terminated(envelope& e) noexcept;
  void deliver_deferred_terminated() noexcept;
  void deliver_one_terminated(envelope& e) noexcept;

  void handle_deadline_envelope(envelope& e) noexcept;
  void handle_deadlines() noexcept;
  void handle_deadline(deadline_of what, std::uint64_t now_ns) noexcept;
  void expire_asks(std::uint64_t now_ns) noexcept;
  void fail_first_ask(ask_failure why_none, std::uint64_t now_ns) noexcept;
  void deliver_receive_timeout(std::uint64_t now_ns) noexcept;

  /// What the middlewares of the actor say about a message.
  enum class admission : std::uint8_t { proceed, drop, hold };
  [[nodiscard]] admission admit(envelope& e) noexcept;
  void tell_middleware(envelope& e, call_result said, bool has_message = true) noexcept;
  step process_filtered(envelope& e) noexcept;
  step process_envelope(envelope& e) noexcept;
  step replay(envelope& oldest) noexcept;
  void replay_one(envelope& stashed) noexcept;
  step handle_timer(envelope& e) noexcept;
  step handle_answer(envelope& e) noexcept;
  bool continue_ask(envelope& answer) noexcept;
  [[nodiscard]] call_result take_traced_answer(trace_recorder& by, envelope& answer,
                                               failure& why) noexcept;
  step process_side_queue() noexcept;
  [[nodiscard]] bool waits_in_side_queue() noexcept;
  step leave_side_queue() noexcept;
  step process_stray(envelope_chain& strays) noexcept;
  void take_reserved(envelope& e, admission said) noexcept;
  step reject_stale(envelope& e) noexcept { return reject(e, drop_reason::stopped); }
  step reject(envelope& e, drop_reason why) noexcept;
  void note_latency(envelope& e) noexcept;
  [[nodiscard]] call_result call(envelope& e, failure& why) noexcept;
  [[nodiscard]] call_result call_traced(trace_recorder& by, envelope& e, failure& why) noexcept;
  void end_traced(trace_recorder& by, call_result said) noexcept;
  void receive(envelope& e) noexcept;
  void receive_notification(envelope& on_stack) noexcept;
  [[nodiscard]] bool is_kept(const envelope& e) const noexcept;
  step continue_task(actor_tasks& tasks) noexcept;
  step after_task(actor_tasks& tasks, const task_step& result, const failure& why) noexcept;
  step finish(envelope& e) noexcept;
  step leave(envelope& e) noexcept;
  step on_idle() noexcept;
  [[nodiscard]] bool has_to_wait() noexcept;
  void tidy_up() noexcept;
  step stop(envelope* handled) noexcept {
    return as_step(begin_stop(services_, here_, cell_, handled));
  }
  static step as_step(lifecycle_step s) noexcept {
    return s == lifecycle_step::ended ? step::stopped : step::continue_turn;
  }
  /// Whether the actor's code may be called.
  [[nodiscard]] bool runs() const noexcept {
    const bool alive =
        cell_.stage == lifecycle_stage::running || cell_.stage == lifecycle_stage::draining;
    return alive && cell_.reasons.empty() && !cell_.wanted.stop;
  }

  system_services& services_;
  thread_record& here_;
  cell& cell_;
  std::uint32_t most_system_messages_ = 1;
  mail_order order_ = mail_order::system_first;
  bool called_ = false;  // code of the actor, in this step
  step_result result_;
};

}  // namespace tactor::inline v0::internal
