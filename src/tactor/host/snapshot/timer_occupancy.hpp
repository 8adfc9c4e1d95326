// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/json_writer.hpp"
#include "tactor/core/scheduler/scheduler.hpp"

namespace tactor::inline v0::internal {

/// Writes an object: how many timers are due in each part of the timer wheel in its next turn, and
/// how many timers were not visited because there are very many. The driver's lock is taken for
/// some dozen timers at a time. Context: any thread.
void write_occupancy(json_writer& to, scheduler& of);

}  // namespace tactor::inline v0::internal
