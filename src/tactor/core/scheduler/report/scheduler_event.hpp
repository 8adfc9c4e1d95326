// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/tick.hpp"
#include "tactor/core/scheduler/schedule_options.hpp"

#include <cstdint>

namespace tactor::inline v0 {

/// What happened to a job or to the scheduler. From `drift_exceeded` on they are warnings.
enum class scheduler_event_kind : std::uint8_t {
  scheduled,
  fired,
  cancelled,
  undeliverable,
  drift_exceeded,          // value: how late, in ns
  burst_fire,              // value: how many runs were missed
  backlog_exceeded,        // value: how many runs were due; the job is cancelled
  quota_reached,           // value: the limit
  overflow_near_capacity,  // value: how many wait in the overflow
  dropped_low_priority,    // evicted to make room for a higher priority
  handler_failed,          // value: the error's code
  task_run_failed,         // value: the close task's number, in the order of running
  driver_stalled,          // value: how long overdue, in ns
  driver_resumed,
  driver_ended,
  diagnostics_dropped,  // value: how many events a subscriber had no room for
};

/// Whether somebody should look into it.
[[nodiscard]] constexpr bool is_warning(scheduler_event_kind kind) noexcept {
  return kind >= scheduler_event_kind::drift_exceeded;
}

/// The kind as it stands in logs.
[[nodiscard]] constexpr const char* to_text(scheduler_event_kind kind) noexcept {
  switch (kind) {
  case scheduler_event_kind::scheduled:
    return "scheduled";
  case scheduler_event_kind::fired:
    return "fired";
  case scheduler_event_kind::cancelled:
    return "cancelled";
  case scheduler_event_kind::undeliverable:
    return "undeliverable";
  case scheduler_event_kind::drift_exceeded:
    return "the timers' driver looks late";
  case scheduler_event_kind::burst_fire:
    return "a timer has missed many runs";
  case scheduler_event_kind::backlog_exceeded:
    return "a timer was cancelled: too many runs wait";
  case scheduler_event_kind::quota_reached:
    return "as many timers live as scheduler.system_quota allows";
  case scheduler_event_kind::overflow_near_capacity:
    return "the timers' overflow is nearly full";
  case scheduler_event_kind::dropped_low_priority:
    return "a timer was evicted by one of higher priority";
  case scheduler_event_kind::handler_failed:
    return "a timer's callable failed";
  case scheduler_event_kind::task_run_failed:
    return "a close task failed or was late";
  case scheduler_event_kind::driver_stalled:
    return "the timers' driver has stopped looking";
  case scheduler_event_kind::driver_resumed:
    return "the timers' driver looks again";
  case scheduler_event_kind::driver_ended:
    return "the timers' driver has ended";
  case scheduler_event_kind::diagnostics_dropped:
    return "warnings of timers were left out";
  }
  return "unknown";
}

/// One event, a plain value.
struct scheduler_event {
  scheduler_event_kind kind;
  timer_priority priority = timer_priority::normal;
  std::uint64_t job = 0;  // 0: none in particular
  tick at = {};           // when it happened
  tick deadline = {};     // of the job: in `scheduled` and `fired`
  std::uint64_t value = 0;
  const void* executor = nullptr;  // the job's dispatcher or receiver: to tell apart, not to use

  friend constexpr bool operator==(const scheduler_event&,
                                   const scheduler_event&) noexcept = default;
};

}  // namespace tactor::inline v0
