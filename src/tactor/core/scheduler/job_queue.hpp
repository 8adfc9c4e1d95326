// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/mpsc_queue.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"

#include <cstddef>

namespace tactor::inline v0::internal {

/// Callables of timers that are due, until a loop runs them: never inside the poll that found them
/// due. Thread safety: `dispatch` and `empty` from any thread; `run_waiting` from the loop.
class job_queue final : public job_dispatcher {
public:
  constexpr job_queue() noexcept = default;
  job_queue(const job_queue&) = delete;
  job_queue& operator=(const job_queue&) = delete;
  ~job_queue() = default;

  void dispatch(timer_job& job) noexcept override { add(job); }
  [[nodiscard]] bool empty() const noexcept { return due_.empty(); }

  /// Runs the jobs that wait now; those that arrive meanwhile wait for the next call. Returns: how
  /// many it ran.
  std::size_t run_waiting() noexcept;

private:
  // A board links it only if callables are scheduled.
  void add(timer_job& job) noexcept;

  mpsc_queue<timer_job> due_;
};

}  // namespace tactor::inline v0::internal
