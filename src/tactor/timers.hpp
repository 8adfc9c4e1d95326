// SPDX-License-Identifier: BSL-1.0
#pragma once

// The public names of timers without actors, on every platform: those of tactor/actor.hpp, deadlines
// of a protocol, static storage, traces. docs/api.md lists them.

#include "tactor/version.hpp"  // IWYU pragma: export (first: it checks the standard)

// IWYU pragma: begin_exports
#include "tactor/actor.hpp"
#include "tactor/core/scheduler/deadline_timer.hpp"
#include "tactor/core/scheduler/report/deterministic_log.hpp"
#include "tactor/core/scheduler/scheduler_storage.hpp"
#include "tactor/core/timing/timing_storage.hpp"
// IWYU pragma: end_exports
