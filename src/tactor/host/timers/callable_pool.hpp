// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace tactor::inline v0::internal {

/// Runs the callables of timers on a few threads, named `tactor-call-N`, in the order of dispatch.
///
/// `stop` lets the threads run the queued jobs, then ends them. A thread whose callable does not
/// return in time ends when it does. A job that is dispatched later, or still queued then, ends on
/// the thread that finds it: a cancelled job with its hook, any other job as undeliverable. No job
/// is lost and no callable begins.
///
/// Thread safety: `dispatch` from any thread, lock-free unless a thread of the pool sleeps; `stop`
/// by the owner.
class callable_pool final : public job_dispatcher {
public:
  /// Starts the threads, which carry the `thread_mark` of `owner`. Throws: std::system_error if the
  /// system cannot start them all.
  explicit callable_pool(std::size_t threads, const void* owner = nullptr);
  callable_pool(const callable_pool&) = delete;
  callable_pool& operator=(const callable_pool&) = delete;
  /// Stops the pool, without a time limit, unless it was stopped before; then waits for late
  /// callables.
  ~callable_pool();

  /// Queues a job for one of the threads. Context: any thread.
  void dispatch(timer_job& job) noexcept override;

  /// Returns: how many callables have not returned. A second call does nothing and returns 0.
  /// Requires: not called from a thread of the pool.
  std::size_t stop(std::chrono::steady_clock::time_point until) noexcept;
  /// Brings the deadline of `stop` forward, if `until` is earlier; but `stop` waits for at least
  /// `time_to_leave`. Context: any thread, at any time.
  void end_sooner(std::chrono::steady_clock::time_point until) noexcept;
  /// Returns when no callable runs. If a callable itself calls it, it does not wait for that
  /// callable. Requires: stopped.
  void wait_for_late_callables() noexcept;

  /// Returns how many threads wait for a job, for tests. Context: any thread.
  [[nodiscard]] std::size_t sleeping() const noexcept;

private:
  struct core;

  // Shared with the threads: a callable may destroy the pool.
  std::shared_ptr<core> core_;
  std::vector<std::thread> threads_;
};

/// Ends a run that no thread will do, without calling the callable: `closed` ends the job,
/// `refused` ends a one-shot job and lets a periodic one wait for its next run. A cancelled job
/// with a hook comes back to `dispatch`, on this thread: then the hook is called, and nothing else.
/// Context: the thread that owns the job.
void end_without_running(timer_job& job, post_result why = post_result::closed) noexcept;

}  // namespace tactor::inline v0::internal
