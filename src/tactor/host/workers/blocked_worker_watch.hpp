// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/host/os/report_signal.hpp"
#include "tactor/host/workers/busy_worker_sampler.hpp"

#include <chrono>
#include <optional>

namespace tactor::inline v0::internal {

class worker_threads;

/// Samples the workers of a pool and logs each handler that keeps one for longer than a limit:
/// while it happens, and once.
///
/// Context: `start` by the owner, before the others; `sample` by the thread that reports;
/// `worker_woke` from any thread.
class blocked_worker_watch {
public:
  /// Requires: all outlive it. `signal` wakes the thread that reports.
  blocked_worker_watch(const worker_threads& workers, report_signal& signal) noexcept
      : workers_(workers), signal_(signal) {}
  blocked_worker_watch(const blocked_worker_watch&) = delete;
  blocked_worker_watch& operator=(const blocked_worker_watch&) = delete;
  ~blocked_worker_watch() = default;

  /// Allocates nothing: memory for the samples is taken with the first of them.
  void start(duration limit) noexcept { limit_ = std::chrono::nanoseconds{limit.nanoseconds()}; }
  /// Returns: when to sample again; nothing: after the next signal, because all workers sleep, or
  /// because it has not started.
  std::optional<std::chrono::nanoseconds> sample(system_core& system) noexcept;

  /// Called when a worker that slept runs again: samples follow until all workers sleep.
  void worker_woke() noexcept { signal_.worker_woke(); }

private:
  const worker_threads& workers_;
  report_signal& signal_;
  std::chrono::nanoseconds limit_{};  // zero: not started
  busy_worker_sampler samples_;       // of the thread that reports
};

}  // namespace tactor::inline v0::internal
