// SPDX-License-Identifier: BSL-1.0
// What follows after a run of a periodic timer.
#include "tactor/core/scheduler/job/job_transitions.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/timing/deadline.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace tactor::inline v0::internal {
namespace {

/// Counts the runs of a periodic job that its receiver has refused: those of the word, and `more`.
void count_refused(timer_record& record, timer_state from, timer_word before,
                   std::uintptr_t more = 0) noexcept {
  if (from == timer_state::executing) return;
  record.store().totals.refused_runs.fetch_add(before.due_runs() + more,
                                               relaxed);  // relaxed: statistic only
}

/// The word after a run of a fixed-rate job, with `more` due runs, as many as fit; or after its
/// runs were refused.
timer_word after_run(timer_word was, timer_state from, std::uintptr_t more) noexcept {
  if (from != timer_state::executing) return was.begun(was.due_runs()).run_over();
  return (more == 0 ? was : was.fired_again(more)).run_over();
}

/// After a run of a fixed-rate job: waits for the next run, or posts the job again if more are due.
/// Returns: false if the job was cancelled meanwhile.
bool wait_for_next_run(timer_record& record, timer_state from) noexcept {
  const bool handled = from == timer_state::executing;
  // The runs that did not fit the word become due when it has none left; refused ones end with its
  // own.
  std::uintptr_t more = 0;
  if (!handled || record.now().due_runs() == 0) more = record.extras()->take_more_runs();
  const auto over = record.update([&](timer_word was) -> std::optional<timer_word> {
    if (was.state() != from) return std::nullopt;
    return after_run(was, from, more);
  });
  if (!over.made) return false;
  count_refused(record, from, over.before, more);
  if (handled && more > 0) record.extras()->add_more_runs(more - over.before.fitting(more));
  if (over.after.posted()) {
    record.hand_out();
  } else {
    record.let_go();
  }
  return true;
}

/// After a run of a fixed-delay job: returns it to the driver. Returns: false if it was cancelled.
bool rearm(timer_record& record, timer_state from) noexcept {
  timer_store& store = record.store();
  const auto period =
      std::chrono::nanoseconds{static_cast<std::int64_t>(record.extras()->period_ns)};
  const tick deadline = *deadline_after(store.clock->stamp(), period, store.resolution);
  record.set_deadline(deadline);
  record.hold();  // to read the word again below
  const auto back = record.update([from](timer_word was) -> std::optional<timer_word> {
    if (was.state() != from) return std::nullopt;
    return was.begun(was.due_runs()).rearmed();
  });
  if (back.made) {
    count_refused(record, from, back.before);
    store.send_to_driver(record, deadline);
    // If it was cancelled before it was in the queue, the poll requested then may have found
    // nothing. An exchange and not a load: a later cancel finds the job in the queue.
    const auto word = record.update([](timer_word was) { return std::optional{was}; });
    if (word.before.ended()) store.ask_for_housekeeping();
  }
  record.let_go();
  return back.made;
}

}  // namespace

bool continue_periodic(timer_record& record, timer_state from) noexcept {
  return record.mode() == job_mode::fixed_rate ? wait_for_next_run(record, from)
                                               : rearm(record, from);
}

}  // namespace tactor::inline v0::internal
