// SPDX-License-Identifier: BSL-1.0
#pragma once

// The public names of timers without actors: a scheduler with threads of its own, delays as values,
// deadlines of a protocol, traces. docs/api.md lists them.

#include "tactor/version.hpp"  // IWYU pragma: export (first: it checks the standard)

// IWYU pragma: begin_exports
#include "tactor/actor.hpp"
#include "tactor/core/scheduler/deadline_timer.hpp"
#include "tactor/core/scheduler/report/deterministic_log.hpp"
#include "tactor/core/scheduler/scheduler_storage.hpp"
#include "tactor/core/timing/timer_wheel.hpp"
#include "tactor/host/delay_provider.hpp"
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/host/timers/realtime_scheduler.hpp"
// IWYU pragma: end_exports
