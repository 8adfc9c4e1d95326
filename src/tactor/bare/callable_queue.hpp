// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/mpsc_queue.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"

#include <cstddef>

namespace tactor::inline v0::bare::internal {

/// The callables of timers that are due, until the loop runs them. Context: the loop.
class callable_queue final : public job_dispatcher {
public:
  void dispatch(timer_job& job) noexcept override { (void)waiting_.push(job); }

  /// Runs what waits, and leaves what comes meanwhile for the next time. Returns: how many.
  std::size_t run() noexcept {
    std::size_t count = 0;
    tactor::internal::mpsc_chain<timer_job> due = waiting_.take_all();
    for (; timer_job* const next = due.pop(); ++count)
      next->run();
    return count;
  }
  [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }

private:
  tactor::internal::mpsc_queue<timer_job> waiting_;
};

}  // namespace tactor::inline v0::bare::internal
