// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/job/job_transitions.hpp"
#include "tactor/core/scheduler/job/periodic_runs.hpp"
#include "tactor/core/scheduler/scheduler.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

// How periodic timers fire.
namespace tactor::inline v0 {

using namespace internal;

namespace {

std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  return a + std::min(b, std::numeric_limits<std::uint64_t>::max() - a);
}

std::uint32_t resolution_ns(const timer_store& store) {
  return static_cast<std::uint32_t>(store.resolution.nanoseconds());
}

}  // namespace

void scheduler::fire_periodic(timer_record& record, timer_extras& extras, tick now) noexcept {
  if (extras.mode == job_mode::fixed_rate) return fire_at_rate(record, extras, now);
  const due_runs due =
      runs_until(now, {.whole = record.deadline()}, extras.period_ns, resolution_ns(store_));
  if (!over_backlog(record, due.runs, now)) fire_once(record);
}

void scheduler::fire_at_rate(timer_record& record, timer_extras& extras, tick now) noexcept {
  const due_runs due = runs_until(now, extras.next_run, extras.period_ns, resolution_ns(store_));
  const bool skips = extras.missed_runs == missed::skip;
  add_alone(store_.totals.fired, static_cast<std::uintptr_t>(due.runs));
  store_.publish(scheduler_event_kind::fired, record);
  if (over_backlog(record, due.runs, now)) return;

  record.hold();  // for its dispatcher or receiver
  const std::uint64_t runs = skips ? 1 : saturated_sum(due.runs, extras.take_more_runs());
  std::uint32_t counted = 0;
  const auto fired = record.update([&](timer_word word) -> std::optional<timer_word> {
    if (word.ended()) return std::nullopt;
    if (skips && word.posted()) return word;
    counted = word.fitting(runs);
    return word.fired_again(runs);
  });
  if (fired.made && !skips && counted < runs) extras.add_more_runs(runs - counted);
  if (!fired.made) {  // cancelled: its command is on the way
    record.let_go();
    return;
  }
  if (fired.before.due_runs() == 0) extras.burst_warned = false;
  const std::uint64_t waiting = saturated_sum(fired.after.due_runs(), runs - counted);
  warn_of_burst(record, skips ? due.runs : waiting, now);  // skipped runs are missed, too
  extras.next_run = due.next;
  record.set_deadline(due.next.deadline());
  insert(record);
  if (fired.before.posted()) {
    record.let_go();
  } else {
    found_.push(record);
  }
}

/// Cancels a job with too many pending runs. Returns: whether it did.
bool scheduler::over_backlog(timer_record& record, std::uint64_t due, tick now) noexcept {
  const timer_extras& extras = *record.extras();
  const std::uint64_t limit = extras.backlog_limit;
  const bool skips = extras.mode == job_mode::fixed_rate && extras.missed_runs == missed::skip;
  // With `skip`, missed runs are dropped, so none is pending.
  if (skips || limit == periodic_options::no_backlog_limit) return false;
  due = saturated_sum(due, extras.more_runs.load(relaxed));  // relaxed: a number
  const auto end = record.end_by_driver(
      [&](timer_word word) { return saturated_sum(due, word.due_runs()) > limit; },
      &timer_totals::cancelled);
  if (!end.made) return false;
  leave_to_hand_out(record, end);
  store_.warn({.kind = scheduler_event_kind::backlog_exceeded,
               .priority = record.priority(),
               .job = record.id(),
               .at = now,
               .value = saturated_sum(due, end.before.due_runs())});
  drop(record);
  return true;
}

/// Warns once from the moment too many runs are pending until none is.
void scheduler::warn_of_burst(timer_record& record, std::uint64_t waiting, tick now) noexcept {
  timer_extras& extras = *record.extras();
  const bool burst = waiting > std::uint64_t{config_.burst_threshold} + 1;
  if (!burst || extras.burst_warned) return;
  extras.burst_warned = true;
  store_.warn({.kind = scheduler_event_kind::burst_fire,
               .priority = record.priority(),
               .job = record.id(),
               .at = now,
               .value = waiting - 1});
}

consteval periodic_functions scheduler::periodic_row() noexcept {
  return {.fire = [](scheduler& by, timer_record& record, timer_extras& extras,
                     tick now) noexcept { by.fire_periodic(record, extras, now); },
          .go_on = continue_periodic};
}
constinit const periodic_functions internal::periodic_feature = scheduler::periodic_row();

}  // namespace tactor::inline v0
