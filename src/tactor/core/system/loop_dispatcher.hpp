// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/mpsc_queue.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"

#include <cstddef>

namespace tactor::inline v0::internal {

/// Callables of timers that run in a loop of the user's own, when it is told to: never in the look
/// that found them due. Thread safety: `dispatch` from any thread; `run_all` from the loop.
class loop_dispatcher final : public job_dispatcher {
public:
  constexpr loop_dispatcher() noexcept = default;
  loop_dispatcher(const loop_dispatcher&) = delete;
  loop_dispatcher& operator=(const loop_dispatcher&) = delete;
  ~loop_dispatcher() = default;

  /// Lets the job wait for its turn.
  void dispatch(timer_job& job) noexcept override { (void)due_.push(job); }

  /// Runs what waits. Returns: how many jobs it ran.
  std::size_t run_all() noexcept {
    std::size_t count = 0;
    for (auto jobs = due_.take_all(); timer_job* const job = jobs.pop(); ++count)
      job->run();
    return count;
  }

private:
  mpsc_queue<timer_job> due_;
};

}  // namespace tactor::inline v0::internal
