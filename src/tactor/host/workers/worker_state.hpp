// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"

#include <chrono>
#include <cstdint>

namespace tactor::inline v0 {

/// The states of a worker thread.
enum class worker_state : std::uint8_t {
  spawned,   // it was started, and does not run actors yet
  running,   // it runs actors, or waits for some
  draining,  // it finishes its turn and leaves the rest to others
  stopped,   // it has ended
};

/// Counts the workers of the pool in each state. Workers that never existed do not count.
struct worker_counts {
  std::uint32_t spawned = 0;
  std::uint32_t running = 0;
  std::uint32_t draining = 0;
  std::uint32_t stopped = 0;

  friend constexpr bool operator==(const worker_counts&, const worker_counts&) noexcept = default;
};

/// Lets the number of workers change by itself: it follows how long actors wait for a worker.
struct adaptive_workers {
  std::uint32_t least = 1;   // workers, at any time
  std::uint32_t most = 256;  // workers, at any time
  /// The time between two looks at the pool while it is busy.
  duration every = std::chrono::milliseconds{10};
  /// An actor that waits this long, while all workers are busy, is a reason for more workers.
  duration long_wait = std::chrono::milliseconds{1};
};

/// Says why the number of workers was not changed.
enum class resize_error : std::uint8_t {
  zero_workers,  // without a worker no actor runs
  too_many,      // a pool has at most 256 workers
  no_range,      // of adaptive workers: `least` is more than `most`, or a duration is not positive
  stopping,      // the system ends
  no_threads,    // there is no memory, or the platform starts no more threads
};

/// Says in one sentence what happened and what to do.
[[nodiscard]] constexpr const char* to_text(resize_error why) noexcept {
  switch (why) {
  case resize_error::zero_workers:
    return "a pool has at least one worker: to stop all actors, shut the system down";
  case resize_error::too_many:
    return "a pool has at most 256 workers";
  case resize_error::no_range:
    return "adaptive workers need a least number that is not more than the most, and durations "
           "longer than "
           "zero";
  case resize_error::stopping:
    return "the system is stopping: resize earlier";
  case resize_error::no_threads:
    return "no further thread could be started: the pool has as many as there are";
  }
  return "";
}

}  // namespace tactor::inline v0
