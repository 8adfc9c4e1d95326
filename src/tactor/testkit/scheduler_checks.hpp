// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/tick.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/core/scheduler/scheduler.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tactor::inline v0::testkit {

/// The result of a check: no complaint, or one. A value and not an assertion, so that any test
/// framework can report and shrink it.
struct [[nodiscard]] verdict {
  const char* complaint = nullptr;  // null: none

  explicit constexpr operator bool() const noexcept { return complaint == nullptr; }
};

/// Records the events of a scheduler on a manual clock and checks that time went forward in them.
/// Context: one thread.
template <std::size_t Capacity>
class fire_watch {
public:
  /// Records an event of the scheduler.
  void add(const scheduler_event& event) noexcept {
    if (event.kind == scheduler_event_kind::diagnostics_dropped) {
      events_lost_ = true;
      return;
    }
    if (event.at < last_at_) went_back_ = true;
    last_at_ = event.at;
    if (event.kind == scheduler_event_kind::fired) add_fired(event);
  }

  /// Returns: the jobs that fired at the last tick at which any fired, in order, the first
  /// `Capacity` of them.
  [[nodiscard]] std::span<const std::uint64_t> last_batch() const noexcept {
    return std::span{batch_}.first(batch_size_);
  }

  /// Returns: a complaint if an event shows that time went back, or that a job fired early or out
  /// of order.
  [[nodiscard]] verdict judge() const noexcept {
    if (went_back_) return {"an event is earlier than the one before"};
    if (fired_early_) return {"a job fired before its deadline"};
    if (out_of_order_) return {"a job fired before another that was due earlier"};
    if (events_lost_) return {"events were lost: there were too many between two looks"};
    return {};
  }

private:
  void add_fired(const scheduler_event& event) noexcept {
    if (event.at < event.deadline) fired_early_ = true;
    if (event.at != batch_at_) {
      batch_size_ = 0;
      batch_at_ = event.at;
    } else if (batch_size_ > 0 && event.deadline < last_deadline_) {
      out_of_order_ = true;
    }
    last_deadline_ = event.deadline;
    if (batch_size_ < Capacity) batch_[batch_size_++] = event.job;
  }

  std::array<std::uint64_t, Capacity> batch_{};
  std::size_t batch_size_ = 0;
  tick batch_at_;
  tick last_at_;
  tick last_deadline_;
  bool went_back_ = false;
  bool fired_early_ = false;
  bool out_of_order_ = false;
  bool events_lost_ = false;
};

/// Checks that counters, records and wheel of a scheduler agree with each other:
///
/// inv 1  scheduled = completed + cancelled + evicted + undeliverable + active, and the quota
///        counts exactly the active ones.
/// inv 2  The numbers of live and of periodic records equal the counters.
/// inv 3  The wheel holds exactly the records marked as being in it, each in the slot of its
///        deadline.
/// inv 4  The far jobs counted for each priority are those in the overflow.
///
/// inv 3 and 4 are checked only when no command is queued. Context: one thread; not inside a poll.
[[nodiscard]] verdict check_invariants(scheduler& timers) noexcept;

/// Checks that nothing is left of any job: no record is in use, the wheel is empty, no far job is
/// counted. Requires: no handle is kept and no job waits in a dispatcher or mailbox.
[[nodiscard]] verdict check_nothing_left(scheduler& timers) noexcept;

/// Cancels one of the jobs that can be cancelled, chosen by `seed`. Returns: its id, or 0 if there
/// was none.
std::uint64_t cancel_any(tactor::internal::timer_store& store, std::uint64_t seed) noexcept;

}  // namespace tactor::inline v0::testkit
