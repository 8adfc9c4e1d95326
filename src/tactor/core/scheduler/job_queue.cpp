// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/job_queue.hpp"

#include "tactor/core/scheduler/job/timer_record.hpp"  // IWYU pragma: keep (the link of a job)

namespace tactor::inline v0::internal {

void job_queue::add(timer_job& job) noexcept {
  (void)due_.push(job);
}

std::size_t job_queue::run_waiting() noexcept {
  std::size_t count = 0;
  for (auto jobs = due_.take_all(); timer_job* const job = jobs.pop(); ++count)
    job->run();
  return count;
}

}  // namespace tactor::inline v0::internal
