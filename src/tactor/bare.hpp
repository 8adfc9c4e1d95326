// SPDX-License-Identifier: BSL-1.0
#pragma once

// The public names for programs without an operating system: those of tactor/actor.hpp, and a
// system in static memory. docs/api.md lists them.

#include "tactor/version.hpp"  // IWYU pragma: export (first: it checks the standard)

// IWYU pragma: begin_exports
#include "tactor/actor.hpp"
#include "tactor/bare/counter_clock.hpp"
#include "tactor/bare/frame_reporter.hpp"
#include "tactor/bare/manual_deadline_timer.hpp"
#include "tactor/bare/sleep.hpp"
#include "tactor/bare/system.hpp"
#include "tactor/bare/system_parts.hpp"
#include "tactor/bare/system_size.hpp"
#include "tactor/bare/systick_clock.hpp"
// IWYU pragma: end_exports
