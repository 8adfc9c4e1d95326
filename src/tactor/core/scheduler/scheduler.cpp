// SPDX-License-Identifier: BSL-1.0
// 1 Scheduling, on any thread. 2 Polling, by the owner. 3 Periodic timers. 4 Counters and reports.
// Closing is in scheduler_close.cpp: a protocol of its own, after which nothing of this happens.
#include "tactor/core/scheduler/scheduler.hpp"

#include "tactor/base/assert.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/scheduler/job/periodic_runs.hpp"
#include "tactor/core/scheduler/job_queue.hpp"
#include "tactor/core/timing/deadline.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace tactor::inline v0 {

using namespace internal;

namespace {

std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  return a + std::min(b, std::numeric_limits<std::uint64_t>::max() - a);
}

/// The length of a tick.
std::uint32_t tick_ns(const timer_store& store) {
  return static_cast<std::uint32_t>(store.resolution.nanoseconds());
}

std::uintptr_t saturated(std::uint64_t value) {
  constexpr std::uintptr_t most = std::numeric_limits<std::uintptr_t>::max();
  return value < most ? static_cast<std::uintptr_t>(value) : most;
}

}  // namespace

scheduler::scheduler(const scheduler_config& config, const parts& with) noexcept
    : config_(config),
      store_(with.store),
      driver_(with.driver),
      wheel_(with.wheel, tick_at(with.clock.now(), config.timing.resolution), config.timing),
      drift_(with.clock.kind(), config.timing.resolution, config.drift_budget_percent),
      close_tasks_(with.close_tasks) {
  if (config_.timing.overflow_capacity == timing_config::as_many_as_timers) {
    config_.timing.overflow_capacity = config_.system_quota;
  }
  store_.clock = &with.clock;
  store_.periodic = with.periodic;
  store_.reports = with.reports;
  store_.resolution = config.timing.resolution;
  store_.default_dispatcher = &with.dispatcher;
  store_.wake_at.store(timer_store::never, relaxed);        // relaxed: no other thread uses it yet
  store_.housekeeping_asked.store(false, relaxed);          // relaxed: see above
  store_.poll_expected.store(timer_store::never, relaxed);  // relaxed: see above
  take_commands(wheel_.position());                         // left by an earlier scheduler
  hand_out_all();
  store_.closed.store(false, relaxed);  // relaxed: see above
}

// 1 Scheduling.

scheduler::request scheduler::requested(const timer_times& when,
                                        const once_options& options) noexcept {
  request wanted{when};
  wanted.priority = options.priority;
  wanted.at_shutdown = options.at_shutdown;
  return wanted;
}

scheduler::request scheduler::requested(const timer_times& when,
                                        const periodic_options& options) noexcept {
  request wanted{when};
  wanted.priority = options.priority;
  wanted.missed_runs = options.missed_runs;
  wanted.backlog_limit = options.backlog_limit;
  return wanted;
}

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
  if (wanted.mode == job_mode::fixed_delay &&
      wanted.backlog_limit != periodic_options::no_backlog_limit)
    return refuse(scheduler_error::no_backlog);
  if (store_.reports != nullptr) store_.reports->check_for_stall(*this, now.whole);
  const bool for_user = wanted.owner == timer_owner::user;
  if (for_user && store_.live_of_users() >= config_.system_quota)
    return refuse_over_quota(now.whole);
  return *deadline;
}

std::unexpected<scheduler_error>
scheduler::refuse_without_memory(const timer_times& when) noexcept {
  const request wanted{when};
  const auto sound = check_call(wanted, split(store_.clock->stamp(), config_.timing.resolution));
  if (!sound) return std::unexpected{sound.error()};
  return refuse(scheduler_error::capacity_exceeded);
}

/// Checks the call, takes all that the job needs, and admits it last: a call that is refused for
/// one limit takes nothing from another limit meanwhile.
std::expected<scheduler::admission, scheduler_error>
scheduler::admit(const request& wanted, const payload_operations& payload, bool has_hook) noexcept {
  TACTOR_ASSERT(wanted.priority <= timer_priority::normal && wanted.missed_runs <= missed::skip &&
                    wanted.at_shutdown <= on_shutdown::run,
                panics::timer_options);
  const internal::split_instant now = split(store_.clock->stamp(), config_.timing.resolution);
  const auto deadline = check_call(wanted, now);
  if (!deadline) return std::unexpected{deadline.error()};

  const bool for_user = wanted.owner == timer_owner::user;
  const bool periodic = wanted.mode != job_mode::once;
  const bool needs_plan = periodic || has_hook || wanted.at_shutdown == on_shutdown::run;
  timer_record* record = store_.take_record(wanted.owner, needs_plan);
  if (record == nullptr && driver_ != nullptr) {
    driver_->poll_now();  // it may free ended ones
    record = store_.take_record(wanted.owner, needs_plan);
  }
  if (record == nullptr) return refuse(scheduler_error::capacity_exceeded);
  fill(*record, wanted, *deadline);
  timer_word word = timer_word::fresh(periodic ? repetition::periodic : repetition::once);
  if (has_hook) word = word.with_hook();
  if (for_user && ticks_between(now.whole, *deadline) > wheel_.slots().size())
    word = word.with_far();
  const payload_blocks blocks = store_.blocks_of(*record);
  const auto entered = record->payload.reserve(payload, blocks)
                           ? enter(*record, word)
                           : std::unexpected{scheduler_error::capacity_exceeded};
  if (entered) return admission{.record = record, .word = word};
  record->payload.release(blocks);
  store_.give_back_fresh(*record);
  if (entered.error() == scheduler_error::quota_exceeded) return refuse_over_quota(now.whole);
  return refuse(entered.error());
}

void scheduler::fill(timer_record& record, const request& wanted, tick deadline) noexcept {
  record.set_rank(wanted.owner == timer_owner::runtime
                      ? runtime_rank
                      : static_cast<std::uint8_t>(wanted.priority));
  record.set_deadline(deadline);
  if (record.plan() == nullptr) return;
  timer_plan& plan = *record.plan();
  plan.mode = wanted.mode;
  plan.period_ns = static_cast<std::uint64_t>(wanted.period.nanoseconds());
  plan.next_run = {.whole = deadline};
  plan.more_runs.store(0, relaxed);  // relaxed: no other thread knows the job
  plan.backlog_limit = wanted.backlog_limit;
  plan.missed_runs = wanted.missed_runs;
  plan.at_shutdown = wanted.at_shutdown;
  plan.burst_warned = false;
  plan.last_fired = {};
}

/// Sets the target and the hook of the job, and lets other threads know it.
std::expected<cancellable, scheduler_error> scheduler::publish(const admission& admitted,
                                                               std::optional<sink_ref> receiver,
                                                               job_dispatcher* dispatcher,
                                                               small_task& on_cancelled) noexcept {
  timer_record& record = *admitted.record;
  if (dispatcher == nullptr) dispatcher = store_.default_dispatcher;
  record.set_target(receiver ? timer_target{*receiver} : timer_target{*dispatcher});
  if (on_cancelled) {
    record.plan()->on_cancelled = std::move(on_cancelled);
    record.plan()->hook_dispatcher = dispatcher;
  }
  const tick deadline = record.deadline();
  if (admitted.word.periodic()) store_.live_periodic.fetch_add(1, relaxed);  // relaxed: a number
  // Publishes the ends of earlier jobs: a thread that sees this start sees them.
  const std::uintptr_t earlier =
      store_.totals.scheduled.fetch_add(1, release);  // pairs: timer.scheduled
  // seq_cst: ties the word to `closed`. Either close() sees this job, or this thread sees `closed`.
  record.word.store(admitted.word.bits, seq_cst);  // pairs: timer.word
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
  if (store_.reports != nullptr) store_.reports->warn_of_quota(*this, now);
  return refuse(scheduler_error::quota_exceeded);
}

/// Takes a place in the quota and counts a far job. The runtime's jobs have no limits.
std::expected<void, scheduler_error> scheduler::enter(const timer_record& record,
                                                      timer_word word) noexcept {
  if (record.owner() == timer_owner::runtime) {
    store_.admit_for_runtime();
    return {};
  }
  if (word.far() && overflow_is_full_for(record.rank()))
    return std::unexpected{scheduler_error::capacity_exceeded};
  if (!store_.admit(config_.system_quota)) return std::unexpected{scheduler_error::quota_exceeded};
  if (word.far()) store_.far_coming[record.rank()].fetch_add(1, relaxed);  // relaxed: a number
  // relaxed: at worst a warning too few or too many
  if (quota_warned_.load(relaxed)) quota_warned_.store(false, relaxed);  // relaxed: see above
  return {};
}

/// Returns true if far jobs of this rank and above fill the overflow; those below give way. A poll
/// may make room first: ended jobs leave, and jobs that have come into range move into the wheel.
bool scheduler::overflow_is_full_for(std::size_t rank) noexcept {
  const std::size_t capacity = config_.timing.overflow_capacity;
  if (store_.far_jobs_from(rank) < capacity) return false;
  if (driver_ != nullptr) driver_->poll_now();
  return store_.far_jobs_from(rank) >= capacity;
}

// 2 Polling.

std::uint64_t scheduler::first_reading_at(tick at) const noexcept {
  return first_reading_of(at, store_.clock->now().resolution_ns, store_.resolution);
}

poll_result scheduler::poll() noexcept {
  const poll_result result = collect();
  hand_out_all();
  return result;
}

void scheduler::hand_out_all() noexcept {
  for (auto found = begin_hand_out(); !found.empty(); found = begin_hand_out()) {
    hand_out(found);
    end_hand_out();
  }
}

mpsc_chain<timer_job> scheduler::begin_hand_out() noexcept {
  if (handing_out_) return {};
  handing_out_ = !found_.empty();
  return std::exchange(found_, {});
}

void scheduler::hand_out(mpsc_chain<timer_job>& found) noexcept {
  while (timer_record* const record = static_cast<timer_record*>(found.pop()))
    record->hand_out();
}

void scheduler::end_hand_out() noexcept {
  handing_out_ = false;
  const std::uintptr_t next = store_.wake_at.load(relaxed);  // relaxed: written by the owner
  expect_poll(has_commands() ? unfinished_since_ : next);
}

/// Records when the next poll is expected: at once, while one is not over.
void scheduler::expect_poll(std::uintptr_t at) noexcept {
  const bool unfinished = handing_out_ || !found_.empty();
  if (!unfinished) unfinished_since_ = timer_store::never;
  store_.poll_expected.store(unfinished ? unfinished_since_ : at, relaxed);  // relaxed: a hint
}

poll_result scheduler::collect() noexcept {
  const timer_instant now = store_.clock->now();
  const tick present = tick_at(now, config_.timing.resolution);
  // From here on, a poll that does not finish counts as overdue.
  const bool first = unfinished_since_ == timer_store::never;
  if (first) unfinished_since_ = static_cast<std::uintptr_t>(present.count);
  store_.poll_expected.store(unfinished_since_, relaxed);  // relaxed: a hint
  // relaxed: only this flag matters
  if (first && store_.reports != nullptr) store_.reports->end_stall(*this, present);
  const bool asked =
      store_.housekeeping_asked.load(relaxed) && has_commands();  // relaxed: checked again below
  take_commands(present);
  if (store_.reports != nullptr) store_.reports->note_lateness(*this, now);
  while (timer_entry* const due = wheel_.pop_due(present))
    fire(static_cast<timer_record&>(*due), present);
  store_.free_given_back();
  relieve_overflow(present);
  // seq_cst: ties the request to the command queue; a later request wakes the driver, an earlier
  // one left a command.
  if (!asked) store_.housekeeping_asked.store(false, seq_cst);  // pairs: timer.housekeeping

  const std::optional<tick> next = wheel_.next_deadline();
  const std::uintptr_t wake_at =
      next ? static_cast<std::uintptr_t>(next->count) : timer_store::never;
  // seq_cst: ties this word to the command queue; see timer_store::send_to_driver.
  store_.wake_at.store(wake_at, seq_cst);  // pairs: timer.wake
  expect_poll(wake_at);
  // Commands that came meanwhile are for the next poll: threads that never stop scheduling must not
  // hold up this one.
  return {.next_deadline = next, .housekeeping = asked, .again = has_commands()};
}

std::optional<tick> scheduler::next_deadline() noexcept {
  const std::optional<tick> next = find_next_deadline();
  if (found_.empty()) return next;
  hand_out_all();
  return find_next_deadline();  // user code may have scheduled
}

std::optional<tick> scheduler::find_next_deadline() noexcept {
  const tick present = store_.now();
  take_commands(present);
  std::optional<tick> next = wheel_.next_deadline();
  if (!next || *next > present) {  // otherwise the wheel is behind, and a poll follows
    relieve_overflow(present);
    next = wheel_.next_deadline();
  }
  expect_poll(next ? static_cast<std::uintptr_t>(next->count) : timer_store::never);
  return next;
}

/// Applies pending schedules and cancels. Advances the wheel to the present first, so that near
/// deadlines are near for the wheel, too; but not past a deadline that only now arrives, so that
/// overdue jobs fire in this poll, in order, and count as late.
void scheduler::take_commands(tick present) noexcept {
  tick earliest = later_by(present, 1);
  std::size_t taken = 0;
  command_trail::walk trail{store_.trail};
  auto commands = store_.commands.take_all([&](const timer_record& record) {
    __builtin_prefetch(trail.pass(record), 1);
    const bool arrives = !record.scheduled() && !record.now().ended();
    if (arrives) earliest = std::min(earliest, record.deadline());
    ++taken;
  });
  store_.behind.store(taken > timer_store::commands_in_time, relaxed);  // relaxed: a hint
  if (earliest > tick{}) wheel_.catch_up(tick{earliest.count - 1});
  while (timer_record* const record = commands.pop())
    apply(*record);
  store_.free_given_back();
}

void scheduler::apply(timer_record& record) noexcept {
  const auto applied = record.update([](timer_word word) -> std::optional<timer_word> {
    if (word.ended() || word.posted()) return std::nullopt;
    return word.applied();
  });
  if (applied.before.far())
    store_.far_coming[record.rank()].fetch_sub(1, relaxed);  // relaxed: a number
  if (applied.made) {
    (void)wheel_.insert(record, record.deadline());  // the overflow is as large as the store
  } else {
    drop(record);
  }
}

/// Keeps the overflow within its capacity: what has come into range moves into the wheel, then
/// users' jobs are evicted, low before normal, the newest first.
void scheduler::relieve_overflow(tick present) noexcept {
  const std::size_t capacity = config_.timing.overflow_capacity;
  if (overflow_of_users() >= capacity) wheel_.bring_in();
  for (std::size_t rank = 0; rank < user_ranks; ++rank) {
    while (overflow_of_users() > capacity && wheel_.overflow_size(rank) > 0)
      evict(static_cast<timer_record&>(*wheel_.evict_newest(rank)), present);
  }
  count_waiting();
  if (store_.reports != nullptr) store_.reports->warn_if_nearly_full(*this, present);
}

/// Ends a job that was removed from the overflow. If it is being cancelled concurrently, its
/// command is on the way.
void scheduler::evict(timer_record& record, tick present) noexcept {
  const tick deadline = record.deadline();  // before the record is handed out
  if (!end(record, &timer_totals::evicted).made) return;
  store_.warn({.kind = scheduler_event_kind::dropped_low_priority,
               .priority = record.priority(),
               .job = record.id(),
               .at = present,
               .deadline = deadline});
  drop(record);
}

void scheduler::count_waiting() noexcept {
  for (std::size_t rank = 0; rank < user_ranks; ++rank)
    store_.far_waiting[rank].store(wheel_.overflow_size(rank), relaxed);  // relaxed: a number
}

/// Ends a job; see `timer_record::end_by_driver`. A job that no dispatcher or mailbox has is handed
/// out.
timer_record::change scheduler::end(timer_record& record, timer_totals_member how,
                                    std::uint64_t least_due) noexcept {
  const auto ended = record.end_by_driver(how, least_due);
  if (ended.made && !ended.before.posted()) found_.push(record);
  return ended;
}

/// Releases the driver's hold on a job that has ended or left for good.
void scheduler::drop(timer_record& record) noexcept {
  wheel_.cancel(record);
  if (record.let_go_alone()) return store_.give_back_later(record);
  record.update([](timer_word word) { return std::optional{word.dropped_by_driver()}; });
  record.let_go();
}

void scheduler::fire(timer_record& record, tick now) noexcept {
  timer_plan* const plan = record.plan();
  if (plan != nullptr) plan->last_fired = now;
  if (plan != nullptr && plan->mode != job_mode::once) {
    store_.periodic->fire(*this, record, *plan, now);
  } else {
    fire_once(record);
  }
}

void scheduler::fire_once(timer_record& record) noexcept {
  const auto fired = record.update([](timer_word word) -> std::optional<timer_word> {
    if (word.state() != timer_state::scheduled) return std::nullopt;
    return word.fired_once();
  });
  if (!fired.made) return;  // cancelled: its command is on the way
  add_alone(store_.totals.fired, 1);
  store_.publish(scheduler_event_kind::fired, record);
  found_.push(record);
}

// 3 Periodic timers.

void scheduler::fire_periodic(timer_record& record, timer_plan& plan, tick now) noexcept {
  if (plan.mode == job_mode::fixed_rate) return fire_at_rate(record, plan, now);
  fire_once(record);
}

void scheduler::fire_at_rate(timer_record& record, timer_plan& plan, tick now) noexcept {
  const due_runs due = runs_until(now, plan.next_run, plan.period_ns, tick_ns(store_));
  const bool skips = plan.missed_runs == missed::skip;
  add_alone(store_.totals.fired, static_cast<std::uintptr_t>(due.runs));
  store_.publish(scheduler_event_kind::fired, record);
  if (over_backlog(record, due.runs, now)) return;

  record.hold();  // for its dispatcher or receiver
  const std::uint64_t runs = skips ? 1 : saturated_sum(due.runs, plan.take_more_runs());
  std::uint32_t counted = 0;
  const auto fired = record.update([&](timer_word word) -> std::optional<timer_word> {
    if (word.ended()) return std::nullopt;
    if (skips && word.posted()) return word;
    counted = word.fitting(runs);
    return word.fired_again(runs);
  });
  if (fired.made && !skips && counted < runs) plan.add_more_runs(runs - counted);
  if (!fired.made) {  // cancelled: its command is on the way
    record.let_go();
    return;
  }
  if (fired.before.due_runs() == 0) plan.burst_warned = false;
  const std::uint64_t waiting = saturated_sum(fired.after.due_runs(), runs - counted);
  warn_of_burst(record, skips ? due.runs : waiting, now);  // skipped runs are missed, too
  plan.next_run = due.next;
  record.set_deadline(due.next.deadline());
  (void)wheel_.insert(record, record.deadline());  // as in `apply`
  if (fired.before.posted()) {
    record.let_go();
  } else {
    found_.push(record);
  }
}

/// Cancels a job with too many pending runs. Returns: whether it did.
bool scheduler::over_backlog(timer_record& record, std::uint64_t due, tick now) noexcept {
  const timer_plan& plan = *record.plan();
  const std::uint64_t limit = plan.backlog_limit;
  const bool skips = plan.missed_runs == missed::skip;
  // With `skip`, missed runs are dropped, so none is pending.
  if (skips || limit == periodic_options::no_backlog_limit) return false;
  due = saturated_sum(due, plan.more_runs.load(relaxed));  // relaxed: a number
  const auto ended = end(record, &timer_totals::cancelled, due > limit ? 0 : limit - due + 1);
  if (!ended.made) return false;
  store_.warn_about(scheduler_event_kind::backlog_exceeded, record, now,
                    saturated_sum(due, ended.before.due_runs()));
  drop(record);
  return true;
}

/// Warns once from the moment too many runs are pending until none is.
void scheduler::warn_of_burst(timer_record& record, std::uint64_t waiting, tick now) noexcept {
  timer_plan& plan = *record.plan();
  const bool burst = waiting > std::uint64_t{config_.burst_threshold} + 1;
  if (!burst || plan.burst_warned) return;
  plan.burst_warned = true;
  store_.warn_about(scheduler_event_kind::burst_fire, record, now, waiting - 1);
}

consteval periodic_functions scheduler::periodic_row() noexcept {
  return {.fire = [](scheduler& by, timer_record& record, timer_plan& plan,
                     tick now) noexcept { by.fire_periodic(record, plan, now); },
          .go_on = continue_periodic};
}
constinit const periodic_functions internal::periodic_feature = scheduler::periodic_row();

// 4 Counters and reports.

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

void scheduler::check_for_stall() noexcept {
  // relaxed: a hint. Without timers the clock is not read.
  if (store_.poll_expected.load(relaxed) == timer_store::never || store_.reports == nullptr) return;
  store_.reports->check_for_stall(*this, store_.now());
}

namespace {

void publish(timer_store& of, scheduler_event_kind kind, const timer_record& about) noexcept {
  // A thread that ends a job may do so while the driver moves it, and must not read the deadline.
  const bool at_rest =
      kind == scheduler_event_kind::scheduled || kind == scheduler_event_kind::fired;
  const timer_plan* const plan = kind == scheduler_event_kind::scheduled ? about.plan() : nullptr;
  of.events.publish({.kind = kind,
                     .priority = about.priority(),
                     .mode = plan != nullptr ? plan->mode : job_mode::once,
                     .job = about.id(),
                     .at = of.now(),
                     .deadline = at_rest ? about.deadline() : tick{},
                     .value = plan != nullptr ? plan->period_ns : 0,
                     .executor = about.target().address()});
}

void warn(timer_store& of, const scheduler_event& event) noexcept {
  of.totals.warnings.fetch_add(1, relaxed);  // relaxed: statistic only
  of.events.publish(event);
}

void warn_about(timer_store& of, scheduler_event_kind kind, const timer_record& about, tick at,
                std::uint64_t value) noexcept {
  warn(of,
       {.kind = kind, .priority = about.priority(), .job = about.id(), .at = at, .value = value});
}

}  // namespace

void scheduler::warn_if_nearly_full(tick present) noexcept {
  const std::size_t waiting = overflow_of_users();
  const std::size_t capacity = config_.timing.overflow_capacity;
  const std::uint64_t percent = config_.timing.overflow_warning_percent;
  const bool near =
      waiting > 0 && std::uint64_t{waiting} * 100 >= std::uint64_t{capacity} * percent;
  if (near && !near_capacity_warned_) {
    store_.warn(
        {.kind = scheduler_event_kind::overflow_near_capacity, .at = present, .value = waiting});
  }
  near_capacity_warned_ = near;
}

void scheduler::note_lateness(timer_instant now) noexcept {
  const std::optional<tick> next = wheel_.next_deadline();
  const internal::split_instant present = internal::split(now, config_.timing.resolution);
  if (!next || *next > present.whole) return;
  constexpr std::uint64_t most_ns = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t whole_ns = saturated_ns(ticks_between(*next, present.whole), tick_ns(store_));
  const std::uint64_t late_ns = whole_ns + std::min(present.rest_ns, most_ns - whole_ns);
  if (const auto observed = drift_.note(present.whole, late_ns)) {
    store_.warn(
        {.kind = scheduler_event_kind::drift_exceeded, .at = present.whole, .value = *observed});
  }
  drift_last_ns_.store(saturated(drift_.last_ns()), relaxed);    // relaxed: statistic only
  drift_worst_ns_.store(saturated(drift_.worst_ns()), relaxed);  // relaxed: statistic only
}

void scheduler::check_for_stall(tick now) noexcept {
  const std::uintptr_t expected = store_.poll_expected.load(relaxed);  // relaxed: a hint
  if (expected == timer_store::never) return;
  const auto overdue =
      static_cast<std::intptr_t>(static_cast<std::uintptr_t>(now.count) - expected);
  if (overdue <= 0) return;
  const std::uint64_t overdue_ns =
      saturated_ns(static_cast<std::uint64_t>(overdue),
                   static_cast<std::uint32_t>(config_.timing.resolution.nanoseconds()));
  if (overdue_ns <= static_cast<std::uint64_t>(config_.stall_limit.nanoseconds())) return;
  if (!stall_warned_.exchange(true, relaxed)) {  // relaxed: only this flag matters
    store_.warn({.kind = scheduler_event_kind::driver_stalled, .at = now, .value = overdue_ns});
  }
}

void scheduler::end_stall(tick now) noexcept {
  // relaxed: only this flag matters
  if (stall_warned_.load(relaxed) && stall_warned_.exchange(false, relaxed))
    store_.warn({.kind = scheduler_event_kind::driver_resumed, .at = now});
}

void scheduler::warn_of_quota(tick now) noexcept {
  if (!quota_warned_.exchange(true, relaxed))  // relaxed: only this flag matters
    store_.warn(
        {.kind = scheduler_event_kind::quota_reached, .at = now, .value = config_.system_quota});
}

consteval timer_report_functions scheduler::report_row() noexcept {
  return {
      .publish = tactor::publish,
      .warn = tactor::warn,
      .warn_about = tactor::warn_about,
      .note_lateness = [](scheduler& of, timer_instant now) noexcept { of.note_lateness(now); },
      .warn_if_nearly_full = [](scheduler& of, tick now) noexcept { of.warn_if_nearly_full(now); },
      .warn_of_quota = [](scheduler& of, tick now) noexcept { of.warn_of_quota(now); },
      .check_for_stall = [](scheduler& of, tick now) noexcept { of.check_for_stall(now); },
      .end_stall = [](scheduler& of, tick now) noexcept { of.end_stall(now); }};
}
constinit const timer_report_functions internal::timer_report_feature = scheduler::report_row();

void scheduler::report_driver_end() noexcept {
  store_.warn({.kind = scheduler_event_kind::driver_ended, .at = store_.now()});
}

const scheduler_functions internal::scheduler_feature{
    .poll = [](scheduler& of) noexcept { (void)of.poll(); },
    .next_deadline = call_member<&scheduler::next_deadline>,
    .first_reading_at = call_member<&scheduler::first_reading_at>,
    .run_callables = call_member<&job_queue::run_waiting>};

}  // namespace tactor::inline v0
