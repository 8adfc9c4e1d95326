// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/blocked_worker_watch.hpp"

#include "tactor/host/workers/worker_threads.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <string_view>

namespace tactor::inline v0::internal {

/// A worker that wakes up before `is_idle` is asked is seen there; a worker that wakes up later
/// signals.
std::optional<std::chrono::nanoseconds> blocked_worker_watch::sample(system_core& system) noexcept {
  if (limit_ == std::chrono::nanoseconds{}) return std::nullopt;
  try {
    samples_.grow(workers_.size());
  } catch (const std::bad_alloc&) {  // the next sample tries again
  }
  const auto now = std::chrono::steady_clock::now();
  for (std::size_t worker = 0; worker < std::min(samples_.size(), workers_.size()); ++worker)
    samples_.sample(worker, workers_.activity(worker), now);
  samples_.for_each_at(now, [&](busy_worker_sampler::sighting& seen) {
    if (seen.reported || now - seen.since < limit_) return;
    seen.reported = true;
    const message_operations* const what = seen.activity.what;
    system.reporting()->blocked(seen.activity.who,
                                what == nullptr ? std::string_view{} : what->type.name,
                                std::chrono::nanoseconds{now - seen.since});
  });
  if (workers_.is_idle()) return std::nullopt;
  return limit_ / 4;
}

}  // namespace tactor::inline v0::internal
