// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/timers.hpp"

#include "scheduler_showcase/workload.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace showcase {

/// The progress of the run.
struct progress {
  std::chrono::duration<double> elapsed;
  std::chrono::duration<double> length;
};

/// The timers that wait in the wheel and in its overflow.
struct wheel_view {
  std::vector<std::size_t> timers_in_slot;
  std::size_t position = 0;
  std::size_t overflow = 0;
  std::size_t overflow_capacity = 0;
};

/// The state of the scheduler that a frame shows, at one moment.
struct snapshot {
  progress run;
  std::chrono::duration<double> resolution;
  wheel_view wheel;
  tactor::scheduler_metrics metrics;
  figures sums;
};

/// Returns: true if scheduled = completed + cancelled + evicted + undeliverable + active. The
/// scheduler computes `active` from the others, so this becomes a proof only with `agree`.
[[nodiscard]] constexpr bool balances(const tactor::scheduler_metrics& jobs) {
  return jobs.scheduled_total == jobs.completed_total + jobs.cancelled_total + jobs.evicted_total +
                                     jobs.undeliverable_total + jobs.active_total;
}

/// Returns: true if the scheduler and the program have counted the same. Requires: the scheduler
/// has been shut down.
[[nodiscard]] constexpr bool agree(const tactor::scheduler_metrics& theirs,
                                   const own_account& ours) {
  return theirs.scheduled_total == ours.accepted && theirs.refused_total == ours.refused &&
         theirs.executed_total == ours.executions && theirs.active_total == 0;
}

[[nodiscard]] snapshot take_snapshot(const tactor::host::realtime_scheduler& timers, workload& work,
                                     progress run);

}  // namespace showcase
