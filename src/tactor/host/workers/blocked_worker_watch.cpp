// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/blocked_worker_watch.hpp"

#include "tactor/host/workers/worker_threads.hpp"

#include <cstddef>
#include <new>
#include <string_view>

namespace tactor::inline v0::internal {

/// A worker that wakes up before `is_idle` is asked is seen there; a worker that wakes up later
/// signals.
std::optional<std::chrono::nanoseconds> blocked_worker_watch::sample(system_core& system) noexcept {
  if (limit_ == std::chrono::nanoseconds{}) return std::nullopt;
  sample_all(system);
  if (workers_.is_idle()) return std::nullopt;
  return limit_ / 4;
}

std::size_t blocked_worker_watch::watched() noexcept {
  const std::size_t workers = workers_.size();
  try {
    if (samples_.size() < workers) samples_.resize(workers);
  } catch (const std::bad_alloc&) {
    return samples_.size();  // the next sample tries again
  }
  return workers;
}

void blocked_worker_watch::sample_all(system_core& system) noexcept {
  const auto now = std::chrono::steady_clock::now();
  const std::size_t workers = watched();
  for (std::size_t worker = 0; worker < workers; ++worker) {
    const worker_activity in = workers_.activity(worker);
    seen_worker& last = samples_[worker];
    if (in.who != last.in.who || in.turn != last.in.turn || in.what != last.in.what)
      last = {.in = in, .since = now};
    if (in.who.generation == 0 || last.reported || now - last.since < limit_) continue;
    last.reported = true;
    system.report_blocked(in.who, in.what == nullptr ? std::string_view{} : in.what->type.name,
                          std::chrono::nanoseconds{now - last.since});
  }
}

}  // namespace tactor::inline v0::internal
