// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/system/loop/job_queue.hpp"

#include "tactor/core/actor/delivery/noted_sends.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"  // IWYU pragma: keep (the link of a job)
#include "tactor/core/scheduler/scheduler.hpp"

namespace tactor::inline v0::internal {

void link_callables() noexcept {}

void job_queue::add(timer_job& job) noexcept {
  (void)due_.push(job);
}

std::size_t job_queue::run_waiting() noexcept {
  std::size_t count = 0;
  for (auto jobs = due_.take_all(); timer_job* const job = jobs.pop(); ++count)
    run_in_its_trace(*job);
  return count;
}

}  // namespace tactor::inline v0::internal
