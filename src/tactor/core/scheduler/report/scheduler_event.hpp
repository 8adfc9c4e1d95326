// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/tick.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"

#include <cstdint>

namespace tactor::inline v0 {

/// Says what happened to a job or to the scheduler. The kinds from `drift_exceeded` on are
/// warnings.
enum class scheduler_event_kind : std::uint8_t {
  scheduled,  // value: the period in ns; 0: a one-shot
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

/// Returns true if the event needs attention.
[[nodiscard]] constexpr bool is_warning(scheduler_event_kind kind) noexcept {
  return kind >= scheduler_event_kind::drift_exceeded;
}

/// A set of kinds of events. Made of kinds: `kind::fired | kind::cancelled`.
class scheduler_event_kinds {
public:
  /// No kind.
  constexpr scheduler_event_kinds() noexcept = default;
  /// One kind.
  // NOLINTNEXTLINE(google-explicit-constructor): a kind is a set of one
  constexpr scheduler_event_kinds(scheduler_event_kind one) noexcept : bits_(bit(one)) {}

  /// Every kind.
  [[nodiscard]] static constexpr scheduler_event_kinds all() noexcept {
    return scheduler_event_kinds{bit(scheduler_event_kind::diagnostics_dropped) * 2 - 1};
  }
  /// The kinds for which `is_warning` holds.
  [[nodiscard]] static constexpr scheduler_event_kinds warnings() noexcept {
    return scheduler_event_kinds{all().bits_ & ~(bit(scheduler_event_kind::drift_exceeded) - 1)};
  }
  /// Returns true if `kind` is in the set.
  [[nodiscard]] constexpr bool has(scheduler_event_kind kind) const noexcept {
    return (bits_ & bit(kind)) != 0;
  }
  /// The set as bits, for a word of all sets in use.
  [[nodiscard]] constexpr std::uint32_t bits() const noexcept { return bits_; }
  /// The set that has these `bits`.
  [[nodiscard]] static constexpr scheduler_event_kinds from_bits(std::uint32_t bits) noexcept {
    return scheduler_event_kinds{bits};
  }

  friend constexpr scheduler_event_kinds operator|(scheduler_event_kinds a,
                                                   scheduler_event_kinds b) noexcept {
    return scheduler_event_kinds{a.bits_ | b.bits_};
  }
  friend constexpr bool operator==(const scheduler_event_kinds&,
                                   const scheduler_event_kinds&) noexcept = default;

private:
  explicit constexpr scheduler_event_kinds(std::uint32_t bits) noexcept : bits_(bits) {}
  static constexpr std::uint32_t bit(scheduler_event_kind kind) noexcept {
    return std::uint32_t{1} << static_cast<std::uint32_t>(kind);
  }

  std::uint32_t bits_ = 0;
};
/// Both kinds.
[[nodiscard]] constexpr scheduler_event_kinds operator|(scheduler_event_kind a,
                                                        scheduler_event_kind b) noexcept {
  return scheduler_event_kinds{a} | scheduler_event_kinds{b};
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
  job_priority priority = job_priority::normal;
  job_mode mode = job_mode::once;  // of the job: in `scheduled`
  std::uint64_t job = 0;           // 0: no particular job
  tick at = {};                    // when it happened
  tick deadline = {};              // of the job: in `scheduled` and `fired`
  std::uint64_t value = 0;
  const void* executor =
      nullptr;  // the job's dispatcher or receiver: to identify, not to dereference

  friend constexpr bool operator==(const scheduler_event&,
                                   const scheduler_event&) noexcept = default;
};

}  // namespace tactor::inline v0
