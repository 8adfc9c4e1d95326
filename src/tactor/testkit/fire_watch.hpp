// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/tick.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/testkit/verdict.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tactor::inline v0::testkit {

/// Records the events of a scheduler on a manual clock and checks that time went forward in them.
/// Context: one thread.
template <std::size_t Capacity>
class fire_watch {
public:
  /// Records an event of the scheduler.
  void note(const scheduler_event& event) noexcept {
    if (event.kind == scheduler_event_kind::diagnostics_dropped) {
      events_lost_ = true;
      return;
    }
    if (event.at < last_at_) went_back_ = true;
    last_at_ = event.at;
    if (event.kind == scheduler_event_kind::fired) note_fired(event);
  }

  /// The jobs that fired at the last tick at which any fired, in order; the first `Capacity` of them.
  [[nodiscard]] std::span<const std::uint64_t> last_batch() const noexcept {
    return std::span{batch_}.first(batch_size_);
  }

  [[nodiscard]] verdict judge() const noexcept {
    if (went_back_) return {"an event is earlier than the one before"};
    if (fired_early_) return {"a job fired before its deadline"};
    if (out_of_order_) return {"a job fired before another that was due earlier"};
    if (events_lost_) return {"events were lost: there were too many between two looks"};
    return {};
  }

private:
  void note_fired(const scheduler_event& event) noexcept {
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

}  // namespace tactor::inline v0::testkit
