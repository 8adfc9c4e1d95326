// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/cell/turn_context.hpp"
#include "tactor/core/life/lifecycle.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/restart_history.hpp"
#include "tactor/core/supervision/supervision.hpp"

namespace tactor::inline v0::internal {

class system_services;

// What happens to an actor that fails. Context: the worker that runs the cell.
// docs/design/supervision.md holds the state diagram.
//
// The failing actor applies its own strategy, suspends itself and tells its parent. The parent
// applies the directive: to the failed child, to all its children, or to itself.

/// The failures of an actor that has a strategy.
struct supervision_state {
  supervision how;
  restart_history past;
  verdict said;                          // about the last failure
  failure why = failure::nothing_yet();  // the last failure
};

/// What the parent is told: the system message `child_failed`.
struct child_failed {
  static constexpr const char* type_name = "child failed";
  verdict said;
  const message_operations* in;
  failure why;
};

/// Handles a failure of the actor, in the message `in` (null: in none). The actor stops, or is
/// suspended until its parent has applied the directive. `asker` gets its answer last: when an ask
/// returns `target_failed`, the failure has been counted, logged and published.
void fail(const turn_context& in, const message_operations* message, origin asker,
          const failure& why) noexcept;

/// Builds the first instance. If that fails, the actor fails.
void start(const turn_context& in) noexcept;

/// The instance could not start: it is destroyed, and what it began is undone. `older` is the
/// newest child that existed before.
void fail_to_start(const turn_context& in, const cell* older, const failure& why) noexcept;
/// Ends what the instance waits for: asks, coroutines, timers. There is no current message from
/// then on.
void cancel_pending(thread_record& here, cell& c) noexcept;

// With a strategy; see fault_handling.cpp.

/// Whether its settings make sense.
[[nodiscard]] bool is_valid_strategy(const supervision& how) noexcept;
/// Gives an actor a strategy. Returns: false if there is no memory.
[[nodiscard]] bool give_strategy(thread_record& here, cell& to, const supervision& how) noexcept;
/// Judges the failure, and records both.
verdict judge_by_strategy(system_services& services, supervision_state& record,
                          const failure& why) noexcept;
/// Suspends the failed actor until its parent has applied the directive.
void wait_for_directive(const turn_context& in, const message_operations* message,
                        const verdict& said) noexcept;
/// Handles a directive and suspension by the parent. Returns: false if the actor ends instead,
/// because it failed and was asked to drain.
[[nodiscard]] bool follow_directives(const turn_context& in, lifecycle_word lifecycle) noexcept;
/// Takes the system message `child_failed` and applies its directive. Consumes `e`.
void handle_child_failure(const turn_context& in, envelope& e) noexcept;

/// Handles what other threads requested: stop, drain, a directive, suspension by the parent.
/// Removes children that have ended. A drain ends an actor that failed, unless it is resumed.
lifecycle_step handle_requests(const turn_context& in) noexcept;
/// Continues a restart, if one is under way and nothing it waits for is missing.
void continue_restart(const turn_context& in) noexcept;

}  // namespace tactor::inline v0::internal
