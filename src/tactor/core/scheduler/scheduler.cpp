// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/scheduler.hpp"

#include "tactor/core/timing/deadline.hpp"

#include <algorithm>

// The side of the scheduler that any thread may call. The owner's side is in scheduler_poll.cpp.
namespace tactor::inline v0 {

using namespace internal;

/// Returns: the deadline of the first run, or why the call is refused whatever memory there is.
std::expected<tick, scheduler_error>
scheduler::check_call(const request& wanted, const internal::split_instant& now) noexcept {
  if (store_.closed.load(relaxed)) {  // relaxed: publish checks again
    return refuse(scheduler_error::shutdown);
  }
  const duration resolution = config_.timing.resolution;
  const bool periodic = wanted.mode != job_mode::once;
  const auto deadline = deadline_after(now, wanted.first, resolution,
                                       periodic ? zero_delay::next_tick : zero_delay::refused);
  if (!deadline || (periodic && !deadline_after(timer_instant{}, wanted.period, resolution))) {
    return refuse(scheduler_error::invalid_delay);
  }
  if (store_.reports != nullptr) store_.reports->check_for_stall(*this, now.whole);
  const bool for_user = wanted.owner == timer_owner::user;
  if (for_user && store_.live_of_users() >= config_.system_quota)
    return refuse_over_quota(now.whole);
  return *deadline;
}

std::unexpected<scheduler_error> scheduler::refuse_without_memory(job_mode mode, duration first,
                                                                  duration period) noexcept {
  request wanted;
  wanted.mode = mode;
  wanted.first = first;
  wanted.period = period;
  const auto sound = check_call(wanted, internal::split(clock_.stamp(), config_.timing.resolution));
  if (!sound) return std::unexpected{sound.error()};
  return refuse(scheduler_error::capacity_exceeded);
}

/// Checks the call, takes all that the job needs, and admits it last: a call that is refused for
/// one limit takes nothing from another limit meanwhile.
std::expected<timer_record*, scheduler_error>
scheduler::admit(const request& wanted, const payload_operations& payload, bool has_hook) noexcept {
  const internal::split_instant now = internal::split(clock_.stamp(), config_.timing.resolution);
  const auto deadline = check_call(wanted, now);
  if (!deadline) return std::unexpected{deadline.error()};

  const bool for_user = wanted.owner == timer_owner::user;
  const bool periodic = wanted.mode != job_mode::once;
  const bool needs_extras = periodic || has_hook || wanted.at_shutdown == on_shutdown::run;
  timer_record* const record = find_record(wanted.owner, needs_extras);
  if (record == nullptr) return refuse(scheduler_error::capacity_exceeded);
  fill(*record, wanted, *deadline);
  const bool far = for_user && ticks_between(now.whole, *deadline) > wheel_.slots().size();
  record->tell_driver(far ? driver_note::of_far_job() : driver_note{});
  const auto entered = record->payload.reserve(payload, store_.blocks_of(*record))
                           ? enter(*record)
                           : std::unexpected{scheduler_error::capacity_exceeded};
  if (entered) return record;
  record->payload.release(store_.blocks_of(*record));
  store_.give_back_fresh(*record);
  if (entered.error() == scheduler_error::quota_exceeded) return refuse_over_quota(now.whole);
  return refuse(entered.error());
}

/// Takes a record, with extras if requested. If all are in use, a poll may free ended ones.
timer_record* scheduler::find_record(timer_owner owner, bool with_extras) noexcept {
  timer_record* record = store_.take_record(owner, with_extras);
  if (record != nullptr || driver_ == nullptr) return record;
  driver_->poll_now();
  return store_.take_record(owner, with_extras);
}

void scheduler::fill(timer_record& record, const request& wanted, tick deadline) noexcept {
  record.set_rank(wanted.owner == timer_owner::runtime
                      ? runtime_rank
                      : static_cast<std::uint8_t>(wanted.priority));
  record.set_deadline(deadline);
  if (record.extras() == nullptr) return;
  timer_extras& extras = *record.extras();
  extras.mode = wanted.mode;
  extras.period_ns = static_cast<std::uint64_t>(wanted.period.nanoseconds());
  extras.next_run = {.whole = deadline};
  extras.more_runs.store(0, relaxed);  // relaxed: no other thread knows the job
  extras.backlog_limit = wanted.backlog_limit;
  extras.missed_runs = wanted.missed_runs;
  extras.at_shutdown = wanted.at_shutdown;
  extras.burst_warned = false;
  extras.last_fired = {};
}

/// Sets the target and the hook of the job.
void scheduler::address(timer_record& record, destination& to) noexcept {
  record.set_target(to.receiver ? timer_target{*to.receiver} : timer_target{*to.dispatcher});
  if (!to.on_cancelled) return;
  record.extras()->on_cancelled = std::move(to.on_cancelled);
  record.extras()->hook_dispatcher = to.dispatcher;
}

std::expected<cancellable, scheduler_error> scheduler::publish(timer_record& record) noexcept {
  const bool periodic = record.mode() != job_mode::once;
  const tick deadline = record.deadline();
  if (periodic) store_.live_periodic.fetch_add(1, relaxed);  // relaxed: a number
  // Publishes the ends of earlier jobs: a thread that sees this start sees them.
  const std::uintptr_t earlier =
      store_.totals.scheduled.fetch_add(1, release);  // pairs: timer.scheduled
  const auto kind = periodic ? repetition::periodic : repetition::once;
  const bool hooked = record.extras() != nullptr && record.extras()->on_cancelled;
  const timer_word fresh = hooked ? timer_word::fresh(kind).with_hook() : timer_word::fresh(kind);
  // seq_cst: ties the word to `closed`. Either close() sees this job, or this thread sees `closed`.
  record.word.store(fresh.bits, seq_cst);  // pairs: timer.word
  // seq_cst: see above.
  const bool closed = store_.closed.load(seq_cst);  // pairs: timer.closed
  // If close() was faster, the job was accepted and is cancelled.
  if (closed && take_back(record)) return refuse(scheduler_error::shutdown);
  store_.publish(scheduler_event_kind::scheduled, record);
  store_.send_to_driver(record, deadline);
  // A driver that sleeps long is woken now and then, so that no poll finds too many commands.
  if (earlier % timer_store::commands_in_sleep == timer_store::commands_in_sleep - 1)
    store_.wake_driver();
  // If closed, no other poll may come. If behind, this thread waits for the driver and helps it:
  // threads that schedule without end must not make every timer late.
  const bool polls = closed || store_.behind.load(relaxed);  // relaxed: a hint
  if (polls && driver_ != nullptr) driver_->poll_now();
  return cancellable{record};
}

std::unexpected<scheduler_error> scheduler::refuse(scheduler_error why) noexcept {
  store_.totals.refused.fetch_add(1, relaxed);  // relaxed: statistic only
  return std::unexpected{why};
}

std::unexpected<scheduler_error> scheduler::refuse_over_quota(tick now) noexcept {
  if (!quota_warned_.exchange(true, relaxed)) {  // relaxed: only this flag matters
    store_.warn(
        {.kind = scheduler_event_kind::quota_reached, .at = now, .value = config_.system_quota});
  }
  return refuse(scheduler_error::quota_exceeded);
}

/// Takes a place in the quota and counts a far job. The runtime's jobs have no limits.
std::expected<void, scheduler_error> scheduler::enter(timer_record& record) noexcept {
  if (record.owner() == timer_owner::runtime) {
    store_.admit_for_runtime();
    return {};
  }
  const bool far = record.driver().far();
  if (far && overflow_is_full_for(record.rank()))
    return std::unexpected{scheduler_error::capacity_exceeded};
  if (!store_.admit(config_.system_quota)) return std::unexpected{scheduler_error::quota_exceeded};
  if (far) store_.far_jobs[record.rank()].fetch_add(1, relaxed);  // relaxed: a number
  // relaxed: at worst a warning too few or too many
  if (quota_warned_.load(relaxed)) quota_warned_.store(false, relaxed);  // relaxed: see above
  return {};
}

/// Whether far jobs of this rank and above fill the overflow; those below give way. A poll may make
/// room first: ended jobs leave, and jobs that have come into range move into the wheel.
bool scheduler::overflow_is_full_for(std::size_t rank) noexcept {
  const std::size_t capacity = config_.timing.overflow_capacity;
  if (store_.far_jobs_from(rank) < capacity) return false;
  if (driver_ != nullptr) driver_->poll_now();
  return store_.far_jobs_from(rank) >= capacity;
}

scheduler_metrics scheduler::metrics() noexcept {
  check_for_stall();
  const timer_totals& totals = store_.totals;
  const auto value = [](const total_count& count) -> std::uint64_t {
    return count.load(relaxed);  // relaxed: statistic only
  };
  scheduler_metrics now;
  const job_counts jobs = store_.count_jobs();
  now.scheduled_total = jobs.scheduled;
  now.completed_total = jobs.completed;
  now.cancelled_total = jobs.cancelled;
  now.evicted_total = jobs.evicted;
  now.undeliverable_total = jobs.undeliverable;
  now.active_total = jobs.active;
  now.periodic_total = value(store_.live_periodic);
  now.fired_total = value(totals.fired);
  now.executed_total = value(totals.executed);
  now.dropped_total = now.evicted_total + now.undeliverable_total +
                      value(totals.cancelled_while_queued) + value(totals.refused_runs);
  now.refused_total = value(totals.refused);
  now.warnings_total = value(totals.warnings);
  now.handler_failures_total = value(totals.handler_failures);
  now.quota_limit = config_.system_quota;
  now.drift_last_ns = value(drift_last_ns_);
  now.drift_worst_ns = value(drift_worst_ns_);
  return now;
}

}  // namespace tactor::inline v0
