// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/scheduler/scheduler.hpp"

#include <chrono>
#include <cstddef>

namespace tactor::inline v0::internal {

/// What became of the close tasks of a scheduler.
struct close_counts {
  std::size_t run = 0;     // came to a good end in time
  std::size_t failed = 0;  // reported failure
  std::size_t late = 0;    // did not come back in time
};

/// Runs the close tasks of `closed` one after the other, in order, on a thread of its own that
/// carries the `thread_mark` of `owner`. Each may take its share of the time left until `until`:
/// an equal part, so what one does not need is the others'. One that takes longer is left to
/// itself and the rest go on, on a fresh thread. Failed and late ones are reported. Requires:
/// `closed` is closed; called once.
close_counts run_close_tasks(scheduler& closed, std::chrono::steady_clock::time_point until,
                             const void* owner);

}  // namespace tactor::inline v0::internal
