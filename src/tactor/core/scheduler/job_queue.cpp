// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/system/job_queue.hpp"

#include "tactor/core/features.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"  // IWYU pragma: keep (the link of a job)
#include "tactor/core/scheduler/scheduler.hpp"

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

const scheduler_functions scheduler_feature{
    .poll = [](scheduler& of) noexcept { (void)of.poll(); },
    .next_deadline = [](scheduler& of) noexcept { return of.next_deadline(); },
    .first_reading_at = [](const scheduler& of,
                           tick at) noexcept { return of.first_reading_at(at); },
    .run_callables = [](job_queue& due) noexcept { return due.run_waiting(); }};

}  // namespace tactor::inline v0::internal
