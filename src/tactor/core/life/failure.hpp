// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/restart_history.hpp"
#include "tactor/core/supervision/supervision.hpp"

namespace tactor::inline v0::internal {

// An actor fails. Context: the worker that runs the cell. `failure.cpp` has the rules, and
// docs/design/supervision.md the state diagram.

/// The failures of an actor that has a strategy.
struct supervision_state {
  supervision how;
  restart_history past;
  verdict said;                          // about the last failure
  failure why = failure::nothing_yet();  // the last failure
};

/// The system message with which an actor tells its parent that it has failed.
struct child_failed {
  static constexpr const char* type_name = "child failed";
  verdict said;
  const message_operations* in;
  failure why;
};

/// Counts a failure and reports it: `in` is the message that the actor failed with, or null, and
/// `said` is what happens to the actor.
void report_failure(system_services& system, cell& who, const message_operations* in,
                    const failure& why, const verdict& said) noexcept;

/// Handles a failure of the actor, in the message `message` (null: in none). The actor stops, or is
/// suspended until its parent has applied the directive. `asker` gets its answer last: when an ask
/// returns `target_failed`, the failure has been counted, logged and published.
void fail(const turn_context& in, const message_operations* message, origin asker,
          const failure& why) noexcept;

/// Handles the failure of an instance that could not start: it is destroyed, and what it began is
/// undone. `older` is the newest child that existed before.
void fail_to_start(const turn_context& in, const cell* older, const failure& why) noexcept;

}  // namespace tactor::inline v0::internal
