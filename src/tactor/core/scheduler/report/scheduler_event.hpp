// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/tick.hpp"
#include "tactor/core/scheduler/report/timer_priority.hpp"

#include <cstdint>

namespace tactor::inline v0 {

/// What happened to a job or to the scheduler. The kinds from `drift_exceeded` on are warnings.
enum class scheduler_event_kind : std::uint8_t {
  scheduled,
  fired,
  cancelled,
  undeliverable,
  drift_exceeded,          // value: how late, in ns
  burst_fire,              // value: how many runs were missed
  backlog_exceeded,        // value: how many runs were due; the job was cancelled
  quota_reached,           // value: the limit
  overflow_near_capacity,  // value: the size of the overflow
  dropped_low_priority,    // evicted by a timer of higher priority
  handler_failed,          // value: the error's code
  task_run_failed,         // value: the close task's number, in the order of execution
  driver_stalled,          // value: how long overdue, in ns
  driver_resumed,
  driver_ended,
  diagnostics_dropped,  // value: how many events did not fit a subscriber
};

/// Whether the event needs attention.
[[nodiscard]] constexpr bool is_warning(scheduler_event_kind kind) noexcept {
  return kind >= scheduler_event_kind::drift_exceeded;
}

/// The text of the kind in logs.
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
    return "timer driver polls late";
  case scheduler_event_kind::burst_fire:
    return "timer missed many runs";
  case scheduler_event_kind::backlog_exceeded:
    return "timer cancelled: too many pending runs";
  case scheduler_event_kind::quota_reached:
    return "timer quota (scheduler.system_quota) reached";
  case scheduler_event_kind::overflow_near_capacity:
    return "timer overflow nearly full";
  case scheduler_event_kind::dropped_low_priority:
    return "timer evicted by a timer of higher priority";
  case scheduler_event_kind::handler_failed:
    return "timer callable failed";
  case scheduler_event_kind::task_run_failed:
    return "close task failed or was late";
  case scheduler_event_kind::driver_stalled:
    return "timer driver stopped polling";
  case scheduler_event_kind::driver_resumed:
    return "timer driver polls again";
  case scheduler_event_kind::driver_ended:
    return "timer driver ended";
  case scheduler_event_kind::diagnostics_dropped:
    return "timer warnings dropped";
  }
  return "unknown";
}

/// One event, a plain value.
struct scheduler_event {
  scheduler_event_kind kind;
  timer_priority priority = timer_priority::normal;
  std::uint64_t job = 0;  // 0: no particular job
  tick at = {};           // when it happened
  tick deadline = {};     // of the job: in `scheduled` and `fired`
  std::uint64_t value = 0;
  const void* executor =
      nullptr;  // the job's dispatcher or receiver: to identify, not to dereference

  friend constexpr bool operator==(const scheduler_event&,
                                   const scheduler_event&) noexcept = default;
};

}  // namespace tactor::inline v0
