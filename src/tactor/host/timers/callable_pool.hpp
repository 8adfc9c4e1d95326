// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/scheduler/job/timer_job.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace tactor::inline v0::internal {

/// Runs the callables of timers on a few threads, `tactor-call-0` and on: each takes the job that
/// waits longest.
///
/// `stop` lets the threads run what is queued, then ends them. A thread that does not come back in
/// time is left to itself: it ends when its callable returns. What is dispatched afterwards, and
/// what is still queued then, ends on the thread that finds it: a cancelled job with its hook, any
/// other as undeliverable; none is lost and no callable runs.
///
/// Thread safety: `dispatch` from any thread, lock-free unless a thread of the pool sleeps; `stop`
/// by the owner.
class callable_pool final : public job_dispatcher {
public:
  /// What a stop left behind.
  enum class stopped : std::uint8_t { all_threads, some_left_behind };

  /// The pool's threads carry the `thread_mark` of `owner`. Throws: std::system_error if there are
  /// not so many threads.
  explicit callable_pool(std::size_t threads, const void* owner = nullptr);
  callable_pool(const callable_pool&) = delete;
  callable_pool& operator=(const callable_pool&) = delete;
  /// Stops it, and waits for its threads without limit if that has not been done.
  ~callable_pool();

  /// Takes a job for one of the threads. Context: any thread.
  void dispatch(timer_job& job) noexcept override;
  /// Until `end_batch` a thread of the pool is woken for every 64th job only, not for the first.
  void begin_batch() noexcept override;
  /// Wakes a thread for what is left of the batch.
  void end_batch() noexcept override;

  /// Requires: not called from a thread of the pool, unless it may be left behind. A second call
  /// does nothing.
  stopped stop(std::chrono::steady_clock::time_point until) noexcept;

private:
  struct core;

  // Shared with the threads: one that was left behind still needs it.
  std::shared_ptr<core> core_;
  std::vector<std::thread> threads_;
};

}  // namespace tactor::inline v0::internal
