// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/host/workers/busy_worker_sampler.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace tactor::inline v0::internal {

class worker_threads;

/// A thread that samples the workers of a pool and logs each handler that keeps one for longer than a
/// limit: while it happens, and once. It sleeps without a timeout while all workers sleep.
///
/// Context: `start` and `stop` by the owner; `worker_woke` from any thread.
class blocked_worker_watch {
public:
  /// Requires: `workers` outlives it.
  explicit blocked_worker_watch(const worker_threads& workers) noexcept : workers_(workers) {}
  blocked_worker_watch(const blocked_worker_watch&) = delete;
  blocked_worker_watch& operator=(const blocked_worker_watch&) = delete;
  ~blocked_worker_watch() { stop(); }

  /// Throws: std::system_error if the thread cannot be started, std::bad_alloc if there is no memory.
  void start(system_core& system, duration limit);
  /// Ends the thread. No effect if it has not started.
  void stop() noexcept;

  /// A worker that slept runs again: the thread samples until all workers sleep.
  void worker_woke() noexcept;

private:
  struct sample {
    worker_activity in;
    busy_worker_sampler::time_point since;
    bool reported = false;
  };

  void run(system_core& system, std::chrono::nanoseconds limit);
  void sample_all(system_core& system, std::chrono::nanoseconds limit) noexcept;

  const worker_threads& workers_;
  std::vector<sample> samples_;  // the thread's
  std::thread thread_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // protected by mutex_
  bool woke_ = false;  // a worker, since the last sample
  bool ending_ = false;
};

}  // namespace tactor::inline v0::internal
