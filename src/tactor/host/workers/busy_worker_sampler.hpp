// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/message/message_operations.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactor::inline v0::internal {

/// Names the actor, message and turn that a worker was running when it was sampled.
struct worker_activity {
  mailbox_index who;                         // generation 0: it was idle
  const message_operations* what = nullptr;  // null: the actor was starting
  std::uint64_t turn = 0;                    // grows with every turn

  friend bool operator==(const worker_activity&, const worker_activity&) noexcept = default;
};

/// Remembers for each of several workers what it is running, and since when. Only the constructor
/// and `grow` allocate. Not thread-safe.
class busy_worker_sampler {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Holds what a worker was seen to run.
  struct sighting {
    worker_activity activity;
    time_point since;
    time_point last;
    bool reported = false;  // by the caller of `for_each_at`
  };

  explicit busy_worker_sampler(std::size_t workers = 0) : seen_(workers) {}

  /// Makes room for so many workers. Throws: std::bad_alloc, and nothing has
  /// changed.
  void grow(std::size_t workers) {
    if (workers > seen_.size()) seen_.resize(workers);
  }

  /// Returns for how many workers there is room.
  [[nodiscard]] std::size_t size() const noexcept { return seen_.size(); }

  /// Records what a worker is running at `now`. Requires: `worker` is less than `size()`.
  void sample(std::size_t worker, const worker_activity& now_runs, time_point now) noexcept {
    if (now_runs.who.generation == 0) return;
    sighting& known = seen_[worker];
    if (known.activity != now_runs) known = {.activity = now_runs, .since = now, .last = now};
    known.last = now;
  }

  /// Calls `call(sighting&)` for each worker that was in a turn at `now`.
  template <class Call>
  void for_each_at(time_point now, Call call) {
    for (sighting& each : seen_)
      if (each.last == now) call(each);
  }

private:
  std::vector<sighting> seen_;
};

}  // namespace tactor::inline v0::internal
