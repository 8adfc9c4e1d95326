// SPDX-License-Identifier: BSL-1.0
// The life of one job: 1 holds, 2 how it is ended early, 3 the thread that has it posted, 4 what
// follows after a run of a periodic job, 5 a close task.
#include "tactor/core/scheduler/job/timer_record.hpp"

#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/timing/deadline.hpp"

#include <chrono>

namespace tactor::inline v0 {

using namespace internal;

namespace {

timer_record& record_of(timer_job& job) {
  return static_cast<timer_record&>(job);
}
const timer_record& record_of(const timer_job& job) {
  return static_cast<const timer_record&>(job);
}

/// Counts and publishes that the handler or the hook of a job has failed.
void report_failure(const timer_record& record, handler_error how) noexcept {
  timer_store& store = record.store();
  store.totals.handler_failures.fetch_add(1, relaxed);  // relaxed: statistic only
  store.warn_about(scheduler_event_kind::handler_failed, record, store.now(),
                   static_cast<std::uint64_t>(how.code));
}

/// Names the thread that has a job posted.
enum class holder : std::uint8_t { dispatcher, other };

/// Releases the hold of the thread that has a cancelled job posted. The dispatcher runs its hook
/// first; another thread passes the job to the dispatcher for that.
void leave_cancelled(timer_record& record, holder by) noexcept {
  const timer_word seen = record.now();
  if (seen.payload_left()) record.destroy_payload();
  if (seen.hooked()) {
    if (by == holder::other) {
      record.plan()->hook_dispatcher->dispatch(record);  // continues in `run`
      return;
    }
    const run_result result = record.plan()->on_cancelled();
    if (!result) report_failure(record, result.error());
  }
  record.update(seen, [](timer_word was) { return std::optional{was.not_posted()}; });
  record.let_go();
}

/// Releases the hold on a posted job that was not begun: it was cancelled, or a close task took its
/// run.
void leave(timer_record& record, holder by) noexcept {
  if (record.now().posted()) {
    leave_cancelled(record, by);
  } else {
    record.let_go();
  }
}

/// Completes the job after its run, or because its receiver is gone. Returns: false if it was
/// cancelled meanwhile.
bool complete(timer_record& record, timer_state from, timer_totals_member how) noexcept {
  const auto end = record.update([from](timer_word was) -> std::optional<timer_word> {
    if (was.state() != from) return std::nullopt;
    return was.completed().not_posted();
  });
  if (!end.made) return false;
  // Here and not with the last hold, which may be released under a lock.
  if (end.before.hooked()) record.plan()->on_cancelled = {};
  record.store().count_end(record, end.before, how);
  record.store().report_end(record, end);
  return true;
}

/// Returns true if a due callable is to run as a close task, because its dispatcher accepts nothing
/// any more.
bool waits_for_close(const timer_record& record) noexcept {
  const bool wanted = record.runs_at_shutdown() && record.mode() == job_mode::once &&
                      !record.target().is_message() &&
                      record.now().state() == timer_state::scheduled;
  return wanted &&
         !record.store().closed.load(relaxed);  // relaxed: no job falls due during `close`
}

/// Begins a run, and takes the due runs that it stands for. Requirement S4 is about this exchange
/// of the word, and those of `cancel` and `end_by_driver`: the first that succeeds decides, and the
/// others are refused. Returns: nothing if the job was cancelled. Requires: posted.
std::optional<execution_batch> take_batch(timer_record& record) noexcept {
  const job_mode mode = record.mode();
  const bool one_by_one =
      mode == job_mode::fixed_rate && record.plan()->missed_runs == missed::burst;
  std::uint32_t taken = 0;
  const auto begun = record.update([&](timer_word was) -> std::optional<timer_word> {
    if (was.state() != timer_state::scheduled) return std::nullopt;
    taken = one_by_one ? 1 : was.due_runs();
    return was.begun(taken);
  });
  if (!begun.made) return std::nullopt;
  record.store().totals.executed.fetch_add(1, relaxed);  // relaxed: statistic only
  const bool folds = mode == job_mode::fixed_rate && !one_by_one;
  const std::uint64_t more = folds ? record.plan()->take_more_runs() : 0;
  return execution_batch{.runs = taken + more, .mode = mode};
}

}  // namespace

// 1 Holds.

bool timer_record::try_hold() noexcept {
  std::uint32_t count = refs.load(relaxed);  // relaxed: only counted
  while (count > 0) {
    if (refs.compare_exchange(count, count + 1, acquire)) return true;  // pairs: timer.refs
  }
  return false;
}

void timer_job::hold() noexcept {
  record_of(*this).refs.fetch_add(1, relaxed);  // relaxed: the caller has a hold already
}

void timer_job::let_go() noexcept {
  timer_record& record = record_of(*this);
  if (record.refs.fetch_sub(1, acq_rel) == 1)  // pairs: timer.refs
    record.store().give_back(record);
}

void timer_record::destroy_payload() noexcept {
  payload.reset(store().blocks_of(*this));
}

// 2 Ended early.

// One decision and its consequences, in the order in which they must happen.
bool timer_record::cancel() noexcept {
  const timer_word seen = now();
  const bool hooked = seen.hooked();
  if (hooked) hold();  // for the dispatcher of the hook
  const change end = update(seen, [&](timer_word was) -> std::optional<timer_word> {
    if (!was.cancellable()) return std::nullopt;
    return hooked ? was.cancelled().for_hook() : was.cancelled();
  });
  const bool dispatches_hook = end.made && hooked && !end.before.posted();
  if (hooked && !dispatches_hook) let_go();  // the holder that has the job posted runs the hook
  if (!end.made) return false;

  timer_store& its_store = store();
  const bool executing = end.before.state() == timer_state::executing;
  if (!executing) destroy_payload();
  if (!executing && end.before.posted()) {
    its_store.totals.cancelled_while_queued.fetch_add(1, relaxed);  // relaxed: statistic only
  }
  its_store.count_end(*this, end.before, &timer_totals::cancelled);
  its_store.publish(scheduler_event_kind::cancelled, *this);
  if (dispatches_hook) plan()->hook_dispatcher->dispatch(*this);
  its_store.report_end(*this, end);
  return true;
}

timer_record::change timer_record::end_by_driver(timer_totals_member how,
                                                 std::uint64_t least_due) noexcept {
  hold();  // for the thread that hands it out
  const change end = update([&](timer_word was) -> std::optional<timer_word> {
    if (!was.cancellable() || was.due_runs() < least_due) return std::nullopt;
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

// 3 Posted: a dispatcher, a receiver, or the thread that hands the job out has it.

void timer_record::hand_out() noexcept {
  if (now().payload_left()) return leave_cancelled(*this, holder::other);
  if (!target().is_message()) {
    target().dispatcher()->dispatch(*this);
    return;
  }
  const post_result result = target().receiver()->post(*this);
  if (result == post_result::refused || result == post_result::closed) (void)discard(result);
}

std::optional<execution_batch> timer_job::begin() noexcept {
  timer_record& record = record_of(*this);
  const std::optional<execution_batch> batch = take_batch(record);
  if (!batch) leave(record, holder::other);
  return batch;
}

run_result timer_job::run() noexcept {
  timer_record& record = record_of(*this);
  const std::optional<execution_batch> batch =
      record.target().is_message() ? std::nullopt : take_batch(record);
  if (!batch) {
    leave(record, holder::dispatcher);
    return {};
  }
  return record.call(*batch);
}

run_result timer_record::call(execution_batch batch) noexcept {
  const run_result result = payload.operations().call(payload.object(), batch);
  finish(result);
  return result;
}

run_result timer_job::take_into(execution_batch batch, void* storage) noexcept {
  timer_payload& payload = record_of(*this).payload;
  return payload.operations().take(payload.object(), batch, storage);
}

void timer_job::finish(run_result result) noexcept {
  timer_record& record = record_of(*this);
  if (!result) {
    report_failure(record, result.error());
  } else if (record.mode() == job_mode::once) {
    record.destroy_payload();
    complete(record, timer_state::executing, &timer_totals::completed);
    record.let_go();
    return;
  } else if (record.store().periodic->go_on(record, timer_state::executing)) {
    return;
  }
  record.end_begun();
}

bool timer_job::discard(post_result why) noexcept {
  timer_record& record = record_of(*this);
  if (why == post_result::closed && waits_for_close(record)) {  // the dispatcher ends first
    (void)record.store().close_timers.push(record);
    return false;
  }
  const bool ends = why == post_result::closed || record.mode() == job_mode::once;
  if (!ends && record.store().periodic->go_on(record, timer_state::scheduled)) return true;
  if (ends && complete(record, timer_state::scheduled, &timer_totals::undeliverable)) {
    record.destroy_payload();
    record.store().publish(scheduler_event_kind::undeliverable, record);
    record.let_go();
    return true;
  }
  leave(record, holder::other);
  return false;
}

void timer_record::end_begun() noexcept {
  const change end = update([](timer_word was) -> std::optional<timer_word> {
    if (was.state() != timer_state::executing) return std::nullopt;  // cancelled while it ran
    return was.cancelled();
  });
  if (end.made) {
    timer_store& its_store = store();
    its_store.count_end(*this, end.before, &timer_totals::cancelled);
    its_store.publish(scheduler_event_kind::cancelled, *this);
    its_store.report_end(*this, end);
  }
  destroy_payload();  // a thread that cancelled it while it ran could not
  leave_cancelled(*this, target().is_message() ? holder::other : holder::dispatcher);
}

bool timer_job::is_cancelled() const noexcept {
  return record_of(*this).now().state() == timer_state::cancelled;
}

std::uint64_t timer_job::id() const noexcept {
  const timer_record& record = record_of(*this);
  return std::uint64_t{record.tenancy.get()} << 32 | (record.store().index_of(record) + 1);
}

const void* timer_job::message_type() const noexcept {
  return record_of(*this).payload.operations().message_type;
}

// 4 After a run of a periodic job.

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
  if (!handled || record.now().due_runs() == 0) more = record.plan()->take_more_runs();
  const auto over = record.update([&](timer_word was) -> std::optional<timer_word> {
    if (was.state() != from) return std::nullopt;
    return after_run(was, from, more);
  });
  if (!over.made) return false;
  count_refused(record, from, over.before, more);
  if (handled && more > 0) record.plan()->add_more_runs(more - over.before.fitting(more));
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
  const auto period = std::chrono::nanoseconds{static_cast<std::int64_t>(record.plan()->period_ns)};
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

bool internal::continue_periodic(timer_record& record, timer_state from) noexcept {
  return record.mode() == job_mode::fixed_rate ? wait_for_next_run(record, from)
                                               : rearm(record, from);
}

// 5 A close task.

bool timer_record::begin_for_close() noexcept {
  return update([](timer_word was) -> std::optional<timer_word> {
           if (was.state() != timer_state::scheduled || !was.posted()) return std::nullopt;
           return was.begun_for_close();
         })
      .made;
}

run_result timer_record::run_for_close() noexcept {
  store().totals.executed.fetch_add(1, relaxed);  // relaxed: statistic only
  return call({});
}

}  // namespace tactor::inline v0
