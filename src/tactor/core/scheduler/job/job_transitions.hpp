// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/scheduler/job/execution_batch.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/scheduler/job/timer_word.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0::internal {

/// Two exchanges of the job's word, which requirement S4 is about: `take_batch` begins a run,
/// `end_by_driver` ends the job before it. A user's cancel is `timer_record::cancel`. The first
/// exchange that succeeds decides; the others are refused.

/// Takes the due runs of one execution. Returns: nothing if it was cancelled. Requires: posted.
inline std::optional<execution_batch> take_batch(timer_record& record) noexcept {
  const job_mode mode = record.mode();
  const bool one_by_one =
      mode == job_mode::fixed_rate && record.extras()->missed_runs == missed::burst;
  std::uint32_t taken = 0;
  const auto begun = record.update([&](timer_word was) -> std::optional<timer_word> {
    if (was.state() != timer_state::scheduled) return std::nullopt;
    taken = one_by_one ? 1 : was.due_runs();
    return was.begun(taken);
  });
  if (!begun.made) return std::nullopt;
  record.store().totals.executed.fetch_add(1, relaxed);  // relaxed: statistic only
  const bool folds = mode == job_mode::fixed_rate && !one_by_one;
  const std::uint64_t more = folds ? record.extras()->take_more_runs() : 0;
  return execution_batch{.runs = taken + more, .mode = mode};
}

template <class May>
timer_record::change timer_record::end_by_driver(May may, timer_totals_member how) noexcept {
  hold();  // for the thread that hands it out
  const change end = update([&](timer_word was) -> std::optional<timer_word> {
    if (!was.cancellable() || !may(was)) return std::nullopt;
    return was.cancelled_by_driver();
  });
  if (!end.made || end.before.posted()) let_go();  // not the last one
  if (!end.made) return end;
  if (end.before.posted() && end.before.state() != timer_state::executing) {
    store().totals.cancelled_while_queued.fetch_add(1, relaxed);  // relaxed: statistic only
  }
  store().count_end(*this, end.before, how);
  store().publish(scheduler_event_kind::cancelled, *this);
  return end;
}

}  // namespace tactor::inline v0::internal
