// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/scheduler/execution_batch.hpp"
#include "tactor/core/scheduler/job/small_task.hpp"

#include <cstdint>

namespace tactor::inline v0 {

class job_dispatcher;

/// Who gives way when the overflow is full. High is for the runtime itself.
enum class timer_priority : std::uint8_t { low, normal, high };

/// What becomes of a timer that is still waiting when the scheduler shuts down.
enum class on_shutdown : std::uint8_t { cancel, run };

/// Why a timer was not scheduled. They are checked in this order; a refused call changes nothing
/// but its counter.
enum class scheduler_error : std::uint8_t {
  shutdown,           // the scheduler takes no new timers
  invalid_delay,      // zero, negative, or longer than 2^31 - 1 ticks
  quota_exceeded,     // as many timers live as `system_quota` allows
  capacity_exceeded,  // no room: the overflow is full of timers of this priority or above, or
                      // memory is
};

/// What to do about it, in one sentence.
[[nodiscard]] constexpr const char* to_text(scheduler_error why) noexcept {
  switch (why) {
  case scheduler_error::shutdown:
    return "the timers have been shut down: schedule before that";
  case scheduler_error::invalid_delay:
    return "a delay is longer than zero and at most 2^31 - 1 ticks of the timers' resolution";
  case scheduler_error::quota_exceeded:
    return "as many timers live as scheduler.system_quota allows: raise it, or cancel some";
  case scheduler_error::capacity_exceeded:
    return "there is no room for one more timer: raise scheduler.timing.overflow_capacity, or use "
           "fewer that are far ahead";
  }
  return "";
}

/// What a one-shot may say besides its delay.
struct once_options {
  /// Runs the callable and `on_cancelled`; null: the scheduler's own.
  job_dispatcher* dispatcher = nullptr;
  timer_priority priority = timer_priority::normal;
  on_shutdown at_shutdown = on_shutdown::cancel;
  /// Runs exactly once, on the dispatcher, if the job is cancelled by anybody; never after it
  /// completed.
  small_task on_cancelled = {};
};

/// What a periodic job may say besides its times.
struct periodic_options {
  job_dispatcher* dispatcher = nullptr;
  timer_priority priority = timer_priority::normal;
  /// Fixed rate only.
  missed missed_runs = missed::fold;
  /// More runs than this that are due and not handed out cancel the job.
  std::uint32_t backlog_limit = 0xFFFF'FFFF;
  small_task on_cancelled = {};
};

}  // namespace tactor::inline v0
