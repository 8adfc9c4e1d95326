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
};

/// Remembers for each of several workers what it is running, and since when. Only the constructor
/// and `grow` allocate. Not thread-safe.
class busy_worker_sampler {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit busy_worker_sampler(std::size_t workers) : turns_(workers) {}

  /// From now on there are at least so many workers. Throws: std::bad_alloc, and nothing has
  /// changed.
  void grow(std::size_t workers) {
    if (workers > turns_.size()) turns_.resize(workers);
  }

  /// Records what a worker is running at `now`.
  void sample(std::size_t worker, const worker_activity& seen, time_point now) noexcept {
    if (seen.who.generation == 0) return;
    turn& known = turns_[worker];
    if (known.seen.turn != seen.turn || known.seen.who != seen.who) known.since = now;
    known.seen = seen;
    known.last = now;
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
    worker_activity seen;
    time_point since;
    time_point last;
  };
  std::vector<turn> turns_;
};

}  // namespace tactor::inline v0::internal
