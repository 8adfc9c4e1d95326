// SPDX-License-Identifier: BSL-1.0
#pragma once

// The public names for programs that trace messages. docs/api.md lists them.

#include "tactor/version.hpp"  // IWYU pragma: export (first: it checks the standard)

// IWYU pragma: begin_exports
#include "tactor/host/actor_system.hpp"
#include "tactor/host/snapshot/trace_writer.hpp"
#include "tactor/host/trace/trace_context.hpp"
#include "tactor/host/trace/trace_options.hpp"
// IWYU pragma: end_exports
