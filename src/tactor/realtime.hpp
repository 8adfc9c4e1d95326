// SPDX-License-Identifier: BSL-1.0
#pragma once

// The public names of timers without actors, with threads: those of tactor/timers.hpp and the
// real-time scheduler. docs/api.md lists them.

#include "tactor/version.hpp"  // IWYU pragma: export (first: it checks the standard)

// IWYU pragma: begin_exports
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/host/timers/realtime_scheduler.hpp"
#include "tactor/timers.hpp"
// IWYU pragma: end_exports
