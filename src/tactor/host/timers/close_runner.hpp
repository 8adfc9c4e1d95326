// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/scheduler/scheduler.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>

namespace tactor::inline v0::internal {

/// The outcomes of the close tasks of a scheduler.
struct close_counts {
  std::size_t run = 0;     // succeeded in time
  std::size_t failed = 0;  // reported failure
  std::size_t late = 0;    // did not return in time, or did not begin
};

/// Runs the close tasks of a scheduler in order, one at a time, on a thread of its own.
///
/// The deadline is for all tasks together. A task that runs when it is over is late; the tasks
/// after it then have `time_to_leave`, on a second thread. No task begins after `run` has returned.
/// Failed and late tasks are reported.
///
/// Context: the owner.
class close_runner {
public:
  close_runner();
  close_runner(const close_runner&) = delete;
  close_runner& operator=(const close_runner&) = delete;
  ~close_runner() { wait_for_late_tasks(); }

  /// Runs the tasks of `closed`, on threads that carry the `thread_mark` of `owner`. Requires:
  /// `closed` is closed; called once.
  close_counts run(scheduler& closed, std::chrono::steady_clock::time_point until,
                   const void* owner) noexcept;

  /// Brings the deadline of `run` forward, if `until` is earlier; but no task that `run` begins
  /// with has less than `time_to_leave`. Context: any thread, at any time.
  void end_sooner(std::chrono::steady_clock::time_point until) noexcept;

  /// Returns when no task runs. If a task itself calls it, it does not wait for that task.
  void wait_for_late_tasks() noexcept;

private:
  struct core;

  // Shared with the threads: a task may destroy the runner.
  std::shared_ptr<core> core_;
  std::array<std::thread, 2> threads_;
};

/// Returns the moment `deadline` from now: not in the past, at most a year ahead.
[[nodiscard]] std::chrono::steady_clock::time_point moment_after(duration deadline);

}  // namespace tactor::inline v0::internal
