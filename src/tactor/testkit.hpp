// SPDX-License-Identifier: BSL-1.0
#pragma once

// The public names for tests: those of tactor/timers.hpp, simulated systems, manual time and
// probes. docs/api.md lists them.

#include "tactor/version.hpp"  // IWYU pragma: export (first: it checks the standard)

// IWYU pragma: begin_exports
#include "tactor/actor.hpp"
#include "tactor/core/scheduler/deadline_timer.hpp"
#include "tactor/core/scheduler/report/deterministic_log.hpp"
#include "tactor/core/scheduler/scheduler_storage.hpp"
#include "tactor/core/system/shutdown_report.hpp"
#include "tactor/core/timing/timer_wheel.hpp"
#include "tactor/testkit/heap_blocks.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/manual_deadline_timer.hpp"
#include "tactor/testkit/probe.hpp"
#include "tactor/testkit/queue_dispatcher.hpp"
#include "tactor/testkit/queue_mailbox.hpp"
#include "tactor/testkit/scheduler_checks.hpp"
#include "tactor/testkit/scheduler_drive.hpp"
#include "tactor/testkit/scheduler_harness.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"
#include "tactor/testkit/simulation_coordinator.hpp"
#include "tactor/testkit/simulation_memory.hpp"
#include "tactor/testkit/system_drive.hpp"
#include "tactor/testkit/trace_player.hpp"
// IWYU pragma: end_exports
