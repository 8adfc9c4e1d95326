// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/host/workers/worker_threads.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace tactor::inline v0::internal {

/// Samples what each worker is running and since when. Not thread-safe.
class busy_worker_sampler {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Records what `workers` are running at `now`.
  void sample(const worker_threads& workers, time_point now) {
    for (std::size_t number = 0; number < workers.size(); ++number) {
      const worker_activity seen = workers.activity(number);
      if (seen.who.generation == 0) continue;
      auto known = std::ranges::find_if(turns_, [&](const turn& each) {
        return each.workers == &workers && each.worker == number;
      });
      if (known == turns_.end())
        known = turns_.insert(known,
                              {.workers = &workers, .worker = number, .seen = seen, .since = now});
      if (known->seen.turn != seen.turn || known->seen.who != seen.who) known->since = now;
      known->seen = seen;
      known->last = now;
    }
  }

  /// Calls `tell(worker_activity, since)` for each worker that was in a turn at `now`.
  template <class Tell>
  void for_each_at(time_point now, Tell tell) const {
    for (const turn& each : turns_) {
      if (each.last == now) tell(each.seen, each.since);
    }
  }

private:
  struct turn {
    const worker_threads* workers;
    std::size_t worker;
    worker_activity seen;
    time_point since;
    time_point last = {};
  };
  std::vector<turn> turns_;
};

}  // namespace tactor::inline v0::internal
