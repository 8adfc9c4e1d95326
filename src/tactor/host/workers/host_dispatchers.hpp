// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/host/workers/worker_threads.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace tactor::inline v0::internal {

/// The threads of a system besides its pool: one for each pinned actor, and several for actors that
/// block, started with the first such actor.
///
/// Thread safety: every function from any thread.
class host_dispatchers final : public dispatcher_set {
public:
  /// The callables of timers of a pinned actor run on `on_threads`, those of an actor that blocks
  /// on `on_blocking`.
  host_dispatchers(std::uint32_t blocking_threads, job_dispatcher& on_threads,
                   job_dispatcher& on_blocking) noexcept
      : blocking_threads_(blocking_threads),
        pinned_callables_(on_threads),
        blocking_callables_(on_blocking) {}
  host_dispatchers(const host_dispatchers&) = delete;
  host_dispatchers& operator=(const host_dispatchers&) = delete;
  ~host_dispatchers() = default;

  /// Allows threads to start. `keep` lives until the last thread has ended. The threads have the
  /// signal mask of the calling thread.
  void open(system_core& system, worker_hub& hub, const std::shared_ptr<const void>& keep);

  [[nodiscard]] ready_queue_coordinator* choose(dispatcher which) noexcept override;
  [[nodiscard]] job_dispatcher&
  callables_of(const ready_queue_coordinator& chosen) noexcept override;
  void release(ready_queue_coordinator& chosen) noexcept override;
  [[nodiscard]] ready_queue_usage usage() noexcept override;

  /// Calls `call(worker_threads&)` for each group of threads. Requires: it runs no user code.
  template <class Call>
  void for_each(Call call) {
    const std::scoped_lock lock{mutex_};
    for_each_closed(call);
  }
  /// Calls `call(worker_threads&)` for each group of threads, without a lock. Requires: closed.
  template <class Call>
  void for_each_closed(Call call) {
    if (blocking_ != nullptr) call(*blocking_);
    for (const auto& each : pinned_)
      call(*each);
  }
  /// Ends all threads and starts no more. The `worker_threads` objects stay: a late thread may make
  /// cells ready for threads that have ended. Returns: whether all threads ended in time.
  bool close(std::chrono::steady_clock::time_point until) noexcept;

private:
  [[nodiscard]] std::unique_ptr<worker_threads> start(std::uint32_t threads, const char* role,
                                                      std::uint32_t first_number);
  [[nodiscard]] worker_threads& pin();
  void forget_ended() noexcept;

  std::uint32_t blocking_threads_;  // constant
  job_dispatcher& pinned_callables_;
  job_dispatcher& blocking_callables_;
  std::mutex mutex_;
  // protected by mutex_
  system_core* system_ = nullptr;  // null: not open, or closed
  worker_hub* hub_ = nullptr;
  std::weak_ptr<const void> keep_;
  signal_set mask_{};
  std::unique_ptr<worker_threads> blocking_;
  std::vector<std::unique_ptr<worker_threads>> pinned_;
  std::uint32_t pins_made_ = 0;
};

}  // namespace tactor::inline v0::internal
