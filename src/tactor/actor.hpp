// SPDX-License-Identifier: BSL-1.0
#pragma once

// Every public name of the core: actors, messages, supervision, events, scheduling.
// `system_interface.hpp` includes nearly all of it.

#include "tactor/version.hpp"  // IWYU pragma: export (first: it checks the standard)

// IWYU pragma: begin_exports
#include "tactor/core/actor/to_actor.hpp"
#include "tactor/core/actor/try_cast.hpp"
#include "tactor/core/dispatch/single_thread_coordinator.hpp"
#include "tactor/core/dispatch/worker_executor.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/observe/metric_table.hpp"
#include "tactor/core/scheduler/dump.hpp"
#include "tactor/core/system/system_interface.hpp"
#include "tactor/core/timing/deadline.hpp"
#include "tactor/core/turn/middleware.hpp"

#include <chrono>  // users write 200ms
// IWYU pragma: end_exports
