// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0 {

/// The counters of a scheduler at one moment. For jobs, at every moment:
/// scheduled = completed + cancelled + evicted + undeliverable + active.
struct scheduler_metrics {
  // jobs
  std::uint64_t scheduled_total = 0;
  std::uint64_t completed_total = 0;
  std::uint64_t cancelled_total = 0;
  std::uint64_t evicted_total = 0;
  std::uint64_t undeliverable_total = 0;
  std::uint64_t active_total = 0;
  std::uint64_t periodic_total = 0;  // of the active jobs
  // runs
  std::uint64_t fired_total = 0;     // became due
  std::uint64_t executed_total = 0;  // the handler started
  // Jobs that were evicted, undeliverable, or cancelled after they were due; and runs of periodic
  // jobs that the receiver refused.
  std::uint64_t dropped_total = 0;
  // the rest
  std::uint64_t refused_total = 0;  // calls that returned an error
  std::uint64_t warnings_total = 0;
  std::uint64_t handler_failures_total = 0;  // of handlers and of `on_cancelled`
  std::uint64_t quota_limit = 0;
  std::uint64_t drift_last_ns = 0;
  std::uint64_t drift_worst_ns = 0;

  friend constexpr bool operator==(const scheduler_metrics&,
                                   const scheduler_metrics&) noexcept = default;
};

}  // namespace tactor::inline v0
