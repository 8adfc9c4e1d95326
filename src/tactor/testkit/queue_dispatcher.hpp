// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/mpsc_queue.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"

#include <cstddef>

namespace tactor::inline v0::testkit {

/// A dispatcher without threads: jobs wait until the test runs them. Context: one thread.
class queue_dispatcher final : public job_dispatcher {
public:
  /// Queues the job.
  void dispatch(timer_job& job) noexcept override {
    (void)arrived_.push(job);
    ++dispatched_;
  }

  /// Runs jobs until none is queued. Returns: the number of jobs that it ran.
  std::size_t run_all() noexcept {
    std::size_t count = 0;
    while (run_one())
      ++count;
    return count;
  }
  /// Runs the jobs that are queued now; later ones stay. Returns: the number of jobs that it ran.
  std::size_t run_waiting() noexcept {
    const std::size_t waiting = size();
    std::size_t count = 0;
    while (count < waiting && run_one())
      ++count;
    return count;
  }
  /// Runs the oldest job. Returns: false if there is none.
  bool run_one() noexcept {
    if (waiting_.empty()) waiting_ = arrived_.take_all();
    timer_job* const oldest = waiting_.pop();
    if (oldest == nullptr) return false;
    ++run_;
    oldest->run();
    return true;
  }

  /// Returns: the number of queued jobs.
  [[nodiscard]] std::size_t size() const noexcept { return dispatched_ - run_; }
  [[nodiscard]] bool idle() const noexcept { return size() == 0; }

private:
  tactor::internal::mpsc_queue<timer_job> arrived_;
  tactor::internal::mpsc_chain<timer_job> waiting_;
  std::size_t dispatched_ = 0;
  std::size_t run_ = 0;
};

}  // namespace tactor::inline v0::testkit
