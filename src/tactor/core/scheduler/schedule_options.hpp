// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/envelope.hpp"
#include "tactor/core/scheduler/job/small_task.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"  // IWYU pragma: export

#include <cstdint>

namespace tactor::inline v0 {

class job_dispatcher;

/// Says why a timer was not scheduled. Checked in this order; a refused call changes only its
/// counter.
enum class scheduler_error : std::uint8_t {
  shutdown,           // the scheduler takes no new timers
  invalid_delay,      // zero, negative, or longer than 2^31 - 1 ticks
  no_backlog,         // a `backlog_limit` for a fixed delay, which has no backlog
  quota_exceeded,     // `system_quota` timers of users are live
  capacity_exceeded,  // the overflow is full of timers of this priority or above, or out of memory
};

/// Says the reason and what to do, in one sentence.
[[nodiscard]] constexpr const char* to_text(scheduler_error why) noexcept {
  switch (why) {
  case scheduler_error::shutdown:
    return "the scheduler is shut down: schedule before shutdown";
  case scheduler_error::invalid_delay:
    return "a delay must be longer than zero and at most 2^31 - 1 ticks of the timer resolution";
  case scheduler_error::no_backlog:
    return "a job with a fixed delay has no backlog: give backlog_limit to a job with a fixed rate";
  case scheduler_error::quota_exceeded:
    return "scheduler.system_quota timers are live: raise the quota, or cancel timers";
  case scheduler_error::capacity_exceeded:
    return "no memory for another timer, or scheduler.timing.overflow_capacity timers are far "
           "ahead: raise the capacity, or cancel timers";
  }
  return "";
}

/// When a job runs: first after `first`, and a periodic one again after each `period`.
struct timer_times {
  job_mode mode = job_mode::once;
  duration first;
  duration period;
};

/// The sender of a timer's message: `{.sender = desk}` names the actor `desk`.
class timer_sender {
public:
  /// The actor that schedules the message; none if it is scheduled from outside of actors.
  constexpr timer_sender() noexcept = default;
  /// The actor that `who` refers to; none if the reference is empty.
  template <class Ref>
    requires requires(const Ref& who) { who.index().slot + who.index().generation; }
  // NOLINTNEXTLINE(google-explicit-constructor): users name an actor
  timer_sender(const Ref& who) noexcept : is_given_(true) {
    if (who) origin_ = internal::origin::of_actor(who.index().slot, who.index().generation);
  }

  /// For the runtime: the sender; `otherwise` if no actor was named.
  [[nodiscard]] internal::origin value_or(internal::origin otherwise) const noexcept {
    return is_given_ ? origin_ : otherwise;
  }

private:
  internal::origin origin_;
  bool is_given_ = false;
};

/// Options of a one-shot. A value that is no enumerator of its type ends the program.
struct once_options {
  /// Runs the callable and `on_cancelled`; null: the scheduler's default dispatcher.
  job_dispatcher* dispatcher = nullptr;
  timer_priority priority = timer_priority::normal;
  on_shutdown at_shutdown = on_shutdown::cancel;
  /// Runs exactly once, on the dispatcher, if the job is cancelled; never after it completed.
  small_task on_cancelled = {};
  /// Of a message to an actor; see `timer_sender`.
  timer_sender sender = {};
};

/// Options of a periodic job; enumerators as above.
struct periodic_options {
  job_dispatcher* dispatcher = nullptr;
  timer_priority priority = timer_priority::normal;
  /// Fixed rate only.
  missed missed_runs = missed::fold;
  /// No number of pending runs cancels the job.
  static constexpr std::uint32_t no_backlog_limit = 0xFFFF'FFFF;
  /// If more runs than this are due and not executed, the job is cancelled. Fixed rate only: with a
  /// fixed delay no run is due before the last one has ended, and the call is refused.
  std::uint32_t backlog_limit = no_backlog_limit;
  small_task on_cancelled = {};
  timer_sender sender = {};
};

}  // namespace tactor::inline v0
