// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/scheduler/scheduler.hpp"

#include <chrono>
#include <cstddef>

namespace tactor::inline v0::internal {

/// The outcomes of the close tasks of a scheduler.
struct close_counts {
  std::size_t run = 0;     // succeeded in time
  std::size_t failed = 0;  // reported failure
  std::size_t late = 0;    // did not return in time
};

/// Runs the close tasks of `closed` in order, on a thread of its own that carries the `thread_mark` of
/// `owner`. The time left until `until` is divided equally among the remaining tasks. The thread of a
/// task that takes longer is detached, and the other tasks continue on a new thread. Failed and late
/// tasks are reported. Requires: `closed` is closed; called once.
close_counts run_close_tasks(scheduler& closed, std::chrono::steady_clock::time_point until,
                             const void* owner);

/// How long threads without work may take to end, even after the deadline.
inline constexpr std::chrono::milliseconds time_to_leave{100};

/// The moment `deadline` from now: not in the past, at most a year ahead.
[[nodiscard]] std::chrono::steady_clock::time_point moment_after(duration deadline);

}  // namespace tactor::inline v0::internal
