// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/job/timer_record.hpp"

#include "tactor/core/scheduler/job/job_transitions.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/timing/deadline.hpp"

namespace tactor::inline v0 {

using namespace internal;

namespace {

timer_record& record_of(timer_job& job) {
  return static_cast<timer_record&>(job);
}

/// Counts and publishes that the handler or the hook of a job has failed.
void report_failure(const timer_record& record, handler_error how) noexcept {
  timer_store& store = record.store();
  store.totals.handler_failures.fetch_add(1, relaxed);  // relaxed: statistic only
  store.warn({.kind = scheduler_event_kind::handler_failed,
              .priority = record.priority(),
              .job = record.id(),
              .at = tick_at(store.clock->now(), store.resolution),
              .value = static_cast<std::uint64_t>(how.code)});
}

/// Removes a cancelled job from the dispatcher or mailbox; on its dispatcher, runs its hook first.
void leave_cancelled(timer_record& record, bool on_dispatcher) noexcept {
  const timer_word seen = record.now();
  if (seen.payload_left()) record.destroy_payload();
  if (seen.hooked()) {
    if (!on_dispatcher) {
      record.extras()->hook_dispatcher->dispatch(record);  // continues in `run`
      return;
    }
    const run_result said = record.extras()->on_cancelled();
    if (!said) report_failure(record, said.error());
  }
  record.update(seen, [](timer_word was) { return std::optional{was.not_posted()}; });
  record.let_go();
}

/// Lets go of a posted job that was not begun: it was cancelled, or a close task took its run.
void leave(timer_record& record, bool on_dispatcher) noexcept {
  if (record.now().posted()) {
    leave_cancelled(record, on_dispatcher);
  } else {
    record.let_go();
  }
}

/// Completes the job after its run, or because its receiver is gone.
bool complete(timer_record& record, timer_state from, timer_totals_member how) noexcept {
  const auto end = record.update([from](timer_word was) -> std::optional<timer_word> {
    if (was.state() != from) return std::nullopt;
    return was.completed().not_posted();
  });
  if (!end.made) return false;
  // Here and not with the last hold, which may be released under a lock.
  if (end.before.hooked()) record.extras()->on_cancelled = {};
  record.store().count_end(record, end.before, how);
  record.store().report_end(record, end);
  return true;
}

/// Whether a due callable is to run as a close task, because its dispatcher accepts nothing any
/// more.
bool waits_for_close(const timer_record& record) noexcept {
  const bool wanted = record.runs_at_shutdown() && record.mode() == job_mode::once &&
                      !record.target().is_message() &&
                      record.now().state() == timer_state::scheduled;
  return wanted &&
         !record.store().closed.load(relaxed);  // relaxed: no job falls due during `close`
}

}  // namespace

void timer_record::destroy_payload() noexcept {
  payload.reset(store().blocks_of(*this));
}

bool timer_record::try_hold() noexcept {
  std::uint32_t count = refs.load(relaxed);  // relaxed: only counted
  while (count > 0) {
    if (refs.compare_exchange(count, count + 1, acquire)) return true;  // pairs: timer.refs
  }
  return false;
}

void timer_record::let_go() noexcept {
  if (refs.fetch_sub(1, acq_rel) == 1) store().give_back(*this);  // pairs: timer.refs
}

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
  if (dispatches_hook) extras()->hook_dispatcher->dispatch(*this);
  its_store.report_end(*this, end);
  return true;
}

run_result timer_record::run() noexcept {
  const std::optional<execution_batch> batch =
      target().is_message() ? std::nullopt : take_batch(*this);
  if (!batch) {
    leave(*this, true);
    return {};
  }
  return call(*batch);
}

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

run_result timer_record::call(execution_batch batch) noexcept {
  run_result said = payload.operations().call(payload.object(), batch);
  finish(said);
  return said;
}

std::optional<execution_batch> timer_record::begin() noexcept {
  const std::optional<execution_batch> batch = take_batch(*this);
  if (!batch) leave(*this, false);
  return batch;
}

void timer_record::finish(run_result said) noexcept {
  if (!said) {
    report_failure(*this, said.error());
  } else if (mode() == job_mode::once) {
    destroy_payload();
    complete(*this, timer_state::executing, &timer_totals::completed);
    let_go();
    return;
  } else if (store().periodic->go_on(*this, timer_state::executing)) {
    return;
  }
  end_begun();
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
  leave_cancelled(*this, !target().is_message());
}

bool timer_record::discard(post_result why) noexcept {
  if (why == post_result::closed && waits_for_close(*this)) {  // the dispatcher ends first
    (void)store().close_timers.push(*this);
    return false;
  }
  const bool ends = why == post_result::closed || mode() == job_mode::once;
  if (!ends && store().periodic->go_on(*this, timer_state::scheduled)) return true;
  if (ends && complete(*this, timer_state::scheduled, &timer_totals::undeliverable)) {
    destroy_payload();
    store().publish(scheduler_event_kind::undeliverable, *this);
    let_go();
    return true;
  }
  leave(*this, false);
  return false;
}

void timer_record::hand_out() noexcept {
  if (now().payload_left()) return leave_cancelled(*this, false);
  if (!target().is_message()) {
    target().dispatcher()->dispatch(*this);
    return;
  }
  const post_result result = target().receiver()->post(*this);
  if (result == post_result::refused || result == post_result::closed) (void)discard(result);
}

std::uint64_t timer_job::id() const noexcept {
  const auto& record = static_cast<const timer_record&>(*this);
  return std::uint64_t{record.tenancy.get()} << 32 | (record.store().index_of(record) + 1);
}
void timer_job::run() noexcept {
  (void)record_of(*this).run();
}
std::optional<execution_batch> timer_job::begin() noexcept {
  return record_of(*this).begin();
}
bool timer_job::is_cancelled() const noexcept {
  return static_cast<const timer_record&>(*this).now().state() == timer_state::cancelled;
}
void timer_job::finish(run_result said) noexcept {
  record_of(*this).finish(said);
}
bool timer_job::discard(post_result why) noexcept {
  return record_of(*this).discard(why);
}
run_result timer_job::take_into(execution_batch batch, void* storage) noexcept {
  timer_record& record = record_of(*this);
  return record.payload.operations().take(record.payload.object(), batch, storage);
}
void timer_job::hold() noexcept {
  record_of(*this).hold();
}
void timer_job::let_go() noexcept {
  record_of(*this).let_go();
}
const void* timer_job::message_type() const noexcept {
  return static_cast<const timer_record&>(*this).payload.operations().message_type;
}

}  // namespace tactor::inline v0
