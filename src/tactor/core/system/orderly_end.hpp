// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/system/shutdown_report.hpp"
#include "tactor/core/system/system_core.hpp"

#include <cstdint>
#include <span>

namespace tactor::inline v0::internal {

// Steps of a shutdown on one thread. Context: the thread that runs the system.

/// Adds the suspended actors: no handler runs, so no other actor can be late.
void report_suspended(system_core& system, shutdown_report& into) noexcept;
/// Adds these actors, which are suspended. Context: any thread.
void report_suspended(system_core& system, std::span<const mailbox_index> suspended,
                      shutdown_report& into) noexcept;
/// Runs all close tasks, in order. A task that returns after `until_ns` is late, and is reported.
/// The tasks have at least 100 ms, and so have those after a late one. Requires: the timers are
/// closed.
void run_close_tasks(system_core& system, std::uint64_t until_ns, shutdown_report& into) noexcept;

}  // namespace tactor::inline v0::internal
