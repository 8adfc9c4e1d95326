// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/assert.hpp"
#include "tactor/core/scheduler/job/job_transitions.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/timing/deadline.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

// The owner's side of the scheduler: one call at a time.
namespace tactor::inline v0 {

using namespace internal;

namespace {

timer_record& record_of(timer_entry& entry) {
  return static_cast<timer_record&>(entry);
}

}  // namespace

scheduler::scheduler(const scheduler_config& config, const parts& with) noexcept
    : config_(config),
      store_(with.store),
      clock_(with.clock),
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

std::uint64_t scheduler::first_reading_at(tick at) const noexcept {
  return first_reading_of(at, clock_.now().resolution_ns, config_.timing.resolution);
}

void scheduler::check_for_stall() noexcept {
  // relaxed: a hint. Without timers the clock is not read.
  if (store_.poll_expected.load(relaxed) == timer_store::never || store_.reports == nullptr) return;
  store_.reports->check_for_stall(*this, tick_at(clock_.now(), config_.timing.resolution));
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
  bool batch = false;
  while (timer_record* const record = static_cast<timer_record*>(found.pop())) {
    // What may run user code is outside of a batch: it may wait for a job of the batch.
    const bool belongs = record->is_due_at(*store_.default_dispatcher);
    if (belongs && !batch) store_.default_dispatcher->begin_batch();
    if (!belongs && batch) store_.default_dispatcher->end_batch();
    batch = belongs;
    record->hand_out();
  }
  if (batch) store_.default_dispatcher->end_batch();
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
  const timer_instant now = clock_.now();
  const tick present = tick_at(now, config_.timing.resolution);
  // From here on, a poll that does not finish counts as overdue.
  const bool first = unfinished_since_ == timer_store::never;
  if (first) unfinished_since_ = static_cast<std::uintptr_t>(present.count);
  store_.poll_expected.store(unfinished_since_, relaxed);  // relaxed: a hint
  // relaxed: only this flag matters
  if (first && stall_warned_.load(relaxed) && stall_warned_.exchange(false, relaxed)) {
    store_.warn({.kind = scheduler_event_kind::driver_resumed, .at = present});
  }
  const bool asked =
      store_.housekeeping_asked.load(relaxed) && has_commands();  // relaxed: checked again below
  take_commands(present);
  if (store_.reports != nullptr) store_.reports->note_lateness(*this, now);
  fire_all(present);
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
  const tick present = tick_at(clock_.now(), config_.timing.resolution);
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
  if (record.driver().far()) {
    ++far_taken_in_[record.rank()];
    record.tell_driver({});
  }
  const auto applied = record.update([](timer_word word) -> std::optional<timer_word> {
    if (word.ended() || word.posted()) return std::nullopt;
    return word.applied();
  });
  if (applied.made) {
    insert(record);
  } else {
    drop(record);
  }
}

void scheduler::insert(timer_record& record) noexcept {
  (void)wheel_.insert(record, record.deadline());  // the overflow is as large as the store
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
  count_far_jobs();
  if (store_.reports != nullptr) store_.reports->warn_if_nearly_full(*this, present);
}

/// Ends a job that was removed from the overflow. If it is being cancelled concurrently, its
/// command is on the way.
void scheduler::evict(timer_record& record, tick present) noexcept {
  const tick deadline = record.deadline();  // before the record is handed out
  const auto end = record.end_by_driver([](timer_word) { return true; }, &timer_totals::evicted);
  if (!end.made) return;
  leave_to_hand_out(record, end);
  store_.warn({.kind = scheduler_event_kind::dropped_low_priority,
               .priority = record.priority(),
               .job = record.id(),
               .at = present,
               .deadline = deadline});
  drop(record);
}

/// Makes `far_jobs` count the overflow and the commands on their way: entries come and go in the
/// wheel without a change of it.
void scheduler::count_far_jobs() noexcept {
  for (std::size_t rank = 0; rank < user_ranks; ++rank) {
    const std::size_t waiting = wheel_.overflow_size(rank);
    const std::size_t taken_in = std::exchange(far_taken_in_[rank], waiting);
    if (waiting != taken_in)
      store_.far_jobs[rank].fetch_add(waiting - taken_in, relaxed);  // relaxed: a number; wraps
  }
}

/// A job that no dispatcher or mailbox has when the driver ends it is handed out.
void scheduler::leave_to_hand_out(timer_record& record, const timer_record::change& end) noexcept {
  if (!end.before.posted()) found_.push(record);
}

/// Releases the driver's hold on a job that has ended or left for good.
void scheduler::drop(timer_record& record) noexcept {
  wheel_.cancel(record);
  if (record.let_go_alone()) return store_.give_back_later(record);
  record.update([](timer_word word) { return std::optional{word.dropped_by_driver()}; });
  record.let_go();
}

void scheduler::fire_all(tick now) noexcept {
  while (timer_entry* const due = wheel_.pop_due(now))
    fire(record_of(*due), now);
}

void scheduler::fire(timer_record& record, tick now) noexcept {
  timer_extras* const extras = record.extras();
  if (extras != nullptr) extras->last_fired = now;
  if (extras != nullptr && extras->mode != job_mode::once) {
    store_.periodic->fire(*this, record, *extras, now);
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

void scheduler::report_driver_end() noexcept {
  store_.warn({.kind = scheduler_event_kind::driver_ended,
               .at = tick_at(clock_.now(), config_.timing.resolution)});
}

}  // namespace tactor::inline v0
