// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/blocked_worker_watch.hpp"

#include "tactor/host/os/thread_setup.hpp"
#include "tactor/host/workers/worker_threads.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

namespace tactor::inline v0::internal {

void blocked_worker_watch::start(system_core& system, duration limit) {
  samples_.resize(workers_.size());
  thread_ = std::thread{[this, &system, length = std::chrono::nanoseconds{limit.nanoseconds()}] {
    set_up_thread("watch");
    run(system, length);
  }};
}

void blocked_worker_watch::stop() noexcept {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock{mutex_};
    ending_ = true;
    changed_.notify_one();
  }
  thread_.join();
}

void blocked_worker_watch::worker_woke() noexcept {
  const std::scoped_lock lock{mutex_};
  if (std::exchange(woke_, true)) return;
  changed_.notify_one();
}

/// A worker that wakes up before `is_idle` is asked is seen there; one that wakes up later sets
/// `woke_`.
void blocked_worker_watch::run(system_core& system, std::chrono::nanoseconds limit) {
  std::unique_lock lock{mutex_};
  while (!ending_) {
    woke_ = false;
    lock.unlock();
    sample_all(system, limit);
    const bool idle = workers_.is_idle();
    lock.lock();
    if (idle) {
      changed_.wait(lock, [this] { return woke_ || ending_; });
    } else {
      (void)changed_.wait_for(lock, limit / 4, [this] { return ending_; });
    }
  }
}

void blocked_worker_watch::sample_all(system_core& system,
                                      std::chrono::nanoseconds limit) noexcept {
  const auto now = std::chrono::steady_clock::now();
  for (std::size_t worker = 0; worker < samples_.size(); ++worker) {
    const worker_activity in = workers_.activity(worker);
    sample& last = samples_[worker];
    if (in.who != last.in.who || in.turn != last.in.turn || in.what != last.in.what)
      last = {.in = in, .since = now};
    if (in.who.generation == 0 || last.reported || now - last.since < limit) continue;
    last.reported = true;
    system.report_blocked(in.who, in.what == nullptr ? std::string_view{} : in.what->type.name,
                          std::chrono::nanoseconds{now - last.since});
  }
}

}  // namespace tactor::inline v0::internal
