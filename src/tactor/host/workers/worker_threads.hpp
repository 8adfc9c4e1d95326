// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/system/system_core.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/host/workers/busy_worker_sampler.hpp"
#include "tactor/host/workers/pool_settings.hpp"
#include "tactor/host/workers/work_stealing_coordinator.hpp"
#include "tactor/host/workers/worker_state.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace tactor::inline v0::internal {

class blocked_worker_watch;
class worker_hub;

/// Threads that run the cells of one coordinator, named `tactor-ROLE-N`, N counting from
/// `first_number`.
///
/// The coordinator is type-stable and is returned for reuse when the last thread has ended. A
/// thread that does not end in time is detached: it continues when its handler returns, and ends
/// when nothing is left to run; `keep` lives until then.
///
/// Once the threads have started, nothing allocates: a shutdown cannot fail for want of memory.
///
/// Thread safety: `shut_down` from any thread; the rest by the owner.
class worker_threads {
public:
  /// Provides a coordinator for `threads` workers, which may become `most`; 0: their number is
  /// constant. Throws: std::bad_alloc if there is no memory.
  worker_threads(std::uint32_t threads, pool_kind kind, std::string_view role,
                 std::uint32_t first_number = 0, std::uint32_t most = 0);
  worker_threads(const worker_threads&) = delete;
  worker_threads& operator=(const worker_threads&) = delete;
  /// Requires: shut down and joined, or never started.
  ~worker_threads();

  [[nodiscard]] work_stealing_coordinator& coordinator() const noexcept;

  /// Starts the threads, which share ownership of `keep` and have the signal mask `mask`; `hub`
  /// lives as long as `keep`. Throws: std::system_error if the system cannot start them all.
  void start(system_core& system, worker_hub& hub, std::shared_ptr<const void> keep,
             const signal_set& mask, bool on_one_processor_each);
  /// Changes their number. More: threads are started, or keep running that were about to end.
  /// Fewer: the others end after their turn, and no thread waits for them. Returns: false if a
  /// thread could not be started. Requires: started, not shut down; 1 to `most` of them; called by
  /// one thread at a time.
  bool resize(std::uint32_t threads, const std::shared_ptr<const void>& keep) noexcept;
  /// Returns the number of threads, without those that were told to end. Context: as `resize`.
  [[nodiscard]] std::uint32_t wanted() const noexcept { return wanted_; }
  /// Counts the threads in each state. Context: any thread.
  [[nodiscard]] worker_counts counts() const noexcept;
  /// Tells the threads to end when nothing is left to run.
  void shut_down() noexcept;
  /// Waits for the threads. Returns: whether all have ended; the others are detached.
  bool join(std::chrono::steady_clock::time_point until) noexcept;
  /// Returns true if all threads have ended.
  [[nodiscard]] bool ended() const noexcept;
  /// Runs on the calling thread the cells that became ready after the threads had ended.
  /// Returns: whether there were any. Requires: all threads of `system` have ended.
  bool run_what_is_left(system_core& system) noexcept;

  /// Returns true if all threads sleep, or have ended. Context: any thread.
  [[nodiscard]] bool is_idle() const noexcept;
  /// Returns the number of turns begun and messages handled. Context: any thread.
  [[nodiscard]] std::uint64_t turns() const noexcept;
  /// Samples what each worker is running.
  void sample(busy_worker_sampler::time_point now) noexcept;
  /// Returns the number of workers, with those that have ended.
  [[nodiscard]] std::size_t size() const noexcept;
  /// Returns the greatest number of workers that there may be.
  [[nodiscard]] std::size_t most() const noexcept;
  /// Returns what a worker is running. Context: any thread.
  [[nodiscard]] worker_activity activity(std::size_t worker) const noexcept;
  /// Tells `watch` whenever a worker that slept runs again. Requires: `watch` existed before the
  /// threads and outlives them. Context: any thread.
  void watch_with(blocked_worker_watch& watch) noexcept;
  /// Returns the samples, for `for_each_at`.
  [[nodiscard]] busy_worker_sampler& samples() noexcept { return samples_; }

private:
  struct shared;

  void start_thread(std::uint32_t number, std::shared_ptr<const void> keep);

  system_core* system_ = nullptr;  // null: not started
  worker_hub* hub_ = nullptr;
  signal_set mask_{};
  std::vector<std::uint32_t> processors_;  // one for each worker in turn; empty: any
  std::uint32_t wanted_;
  busy_worker_sampler samples_;
  // Shared with the threads: a detached thread still needs it.
  std::shared_ptr<shared> shared_;
};

}  // namespace tactor::inline v0::internal
