// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/lifecycle/actor_deadlines.hpp"
#include "tactor/core/actor/cell/actor_type.hpp"
#include "tactor/core/actor/delivery/answer.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/system_services.hpp"
#include "tactor/core/actor/lifecycle/lifecycle.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <cstdint>

namespace tactor::inline v0 {

/// Where a turn stands.
enum class turn_step : std::uint8_t {
  go_on,      // the cell is still ours
  parked,     // it is not any more
  suspended,  // the same, and what waits in it has to wait
  stopped,    // it is gone
};

/// What one step on the long way came to.
struct long_step {
  turn_step where = turn_step::go_on;
  bool failed = false;
  suspend_reason reason = suspend_reason::user_defined;  // suspended
  tactor::resume_on resume_on = tactor::resume_on::resume;
  std::uint32_t handled = 0;
  duration retry_after = {};  // failed
};

/// The long way through a turn, one step at a time: starting, stopping, requests, timers, limits,
/// stale messages, failures, suspensions. Out of line, so that the short way stays short. Context:
/// whoever runs the cell.
class long_way {
public:
  long_way(actor_home& home, thread_record& here, cell& c) noexcept
      : home_(home), here_(here), cell_(c) {}

  /// Whatever there is to do next, at most one message.
  [[nodiscard]] long_step once() noexcept;
  /// The handler of an ordinary message did not say `done`, or wants its actor to stop.
  [[nodiscard]] long_step after_handler(call_result said, envelope& e, const failure& why) noexcept;

private:
  using step = turn_step;

  [[nodiscard]] long_step done(step where) const noexcept;
  void settle(call_result said, envelope& e, const failure& why) noexcept;
  void fail(const message_operations* in, const failure& why) noexcept;

  step take_care() noexcept;
  step attend() noexcept;
  step look() noexcept;
  step take_system_messages() noexcept;
  void take_letter(envelope& e) noexcept;
  void tell_of_death(envelope& e) noexcept;
  void tell_what_was_held() noexcept;
  void tell_of_one_death(envelope& e) noexcept;

  void take_deadline_letter(envelope& e) noexcept;
  void meet_deadlines() noexcept;
  void meet(deadline_of what, std::uint64_t now_ns) noexcept;
  void end_due_asks(std::uint64_t now_ns) noexcept;
  void end_first_ask(ask_failure why_none, std::uint64_t now_ns) noexcept;
  void tell_of_idling(std::uint64_t now_ns) noexcept;

  step pass_through(envelope& e) noexcept;
  step handle_timer(envelope& e) noexcept;
  step handle_answer(envelope& e) noexcept;
  bool go_on_with(envelope& answer) noexcept;
  step take_strays() noexcept;
  bool take_stray(envelope& e) noexcept;
  step pass_over(envelope& e) noexcept;
  void receive(envelope& e) noexcept;
  step finish(envelope& e) noexcept;
  step leave(envelope& e) noexcept;
  step nothing_left() noexcept;
  [[nodiscard]] bool has_to_wait() noexcept;
  void tidy_up() noexcept;
  step stop(envelope* handled) noexcept {
    return as_step(begin_stop(home_, here_, cell_, handled));
  }
  static step as_step(life_step s) noexcept {
    return s == life_step::ended ? step::stopped : step::go_on;
  }
  /// Whether code of the actor may be called.
  [[nodiscard]] bool runs() const noexcept {
    const bool alive = cell_.stage == life_stage::running || cell_.stage == life_stage::draining;
    return alive && cell_.reasons.empty() && !cell_.wanted.stop;
  }

  actor_home& home_;
  thread_record& here_;
  cell& cell_;
  std::uint32_t handled_ = 0;
  bool failed_ = false;
  suspend_reason reason_ = suspend_reason::user_defined;
  resume_on resume_on_ = resume_on::resume;
  duration retry_after_;
};

}  // namespace tactor::inline v0
