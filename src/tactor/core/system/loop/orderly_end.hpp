// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/system/shutdown_report.hpp"
#include "tactor/core/system/system_core.hpp"

#include <span>

namespace tactor::inline v0::internal {

// Steps of a shutdown on one thread. Context: the thread that runs the system.

/// Adds the suspended actors: no handler runs, so no other actor can be late.
void report_suspended(system_core& system, shutdown_report& into) noexcept;
/// Adds these actors, which are suspended. Context: any thread.
void report_suspended(system_core& system, std::span<const mailbox_index> suspended,
                      shutdown_report& into) noexcept;
/// Runs the close tasks in order. Requires: `timers` is closed.
void run_close_tasks(scheduler& timers, shutdown_report& into) noexcept;

}  // namespace tactor::inline v0::internal
