// SPDX-License-Identifier: BSL-1.0
#pragma once

// The public names for programs with an operating system: those of tactor/actor.hpp, and the
// systems that run actors. docs/api.md lists them.

#include "tactor/version.hpp"  // IWYU pragma: export (first: it checks the standard)

// IWYU pragma: begin_exports
#include "tactor/actor.hpp"
#include "tactor/core/system/shutdown_report.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/cooperative_system.hpp"
#include "tactor/host/dump_service.hpp"
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/host/threw.hpp"
// IWYU pragma: end_exports
