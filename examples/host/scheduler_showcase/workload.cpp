// SPDX-License-Identifier: BSL-1.0
#include "scheduler_showcase/workload.hpp"

#include "tactor/timers.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <random>
#include <span>
#include <utility>

namespace showcase {

using namespace std::chrono_literals;

workload::workload(const tactor::host::realtime_scheduler& timers) : scheduler_(timers.timers()) {
  const std::scoped_lock lock{mutex_};
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const timer each{.kind = static_cast<timer_kind>(kind), .handle = {}};
    timers_.resize(timers_.size() + descriptions[kind].count, each);
  }
  for (timer& each : timers_)
    start(each);
}

void workload::tend() {
  while (tactor::timer_job* const message = inbox_.take()) {
    const auto batch = message->begin();
    if (!batch) continue;
    timer& from = *message->take<note_to_self>(*batch).from;
    execute(from, *batch);
    message->finish({});
  }
  const std::scoped_lock lock{mutex_};
  for (timer& each : timers_) {
    const bool undelivered = each.kind == timer_kind::message && each.handle.is_completed();
    if (each.idle || undelivered) start(each);
  }
}

void workload::clear() {
  while (tactor::timer_job* const message = inbox_.take())
    message->discard(tactor::post_result::closed);
}

figures workload::so_far() {
  const std::scoped_lock lock{mutex_};
  return figures_;
}

/// The scheduler reads its clock between our two readings, so its deadline is between the two.
void workload::start(timer& idle) {
  const std::chrono::nanoseconds delay = delay_of(idle.kind);
  idle.due_ns = deadline_ns(delay);
  const auto accepted = note(schedule(idle, delay));
  idle.slack_ns = deadline_ns(delay) - idle.due_ns;
  idle.idle = !accepted;
  if (accepted) idle.handle = *accepted;
}

workload::scheduled workload::schedule(timer& idle, std::chrono::nanoseconds delay) {
  const auto run = [this, &idle] { execute(idle, {}); };
  switch (idle.kind) {
  case timer_kind::near:
  case timer_kind::far:
  case timer_kind::watchdog:
    return scheduler_.schedule_once(delay, run);
  case timer_kind::low:
    return scheduler_.schedule_once(delay, run,
                                    {.priority = tactor::timer_priority::low,
                                     .on_cancelled = [this, &idle] { became_idle(idle); }});
  case timer_kind::message:
    return scheduler_.schedule_once(delay, inbox_, note_to_self{&idle});
  case timer_kind::fold:
  case timer_kind::burst:
  case timer_kind::skip:
  case timer_kind::delay:
    return schedule_periodic(idle, delay);
  }
  std::unreachable();
}

workload::scheduled workload::schedule_periodic(timer& idle, std::chrono::nanoseconds period) {
  const auto run = [this, &idle](tactor::execution_batch batch) { execute(idle, batch); };
  idle.period_ns = static_cast<std::uint64_t>(period.count());
  if (idle.kind == timer_kind::delay) {
    return scheduler_.schedule_with_fixed_delay(period, period, run);
  }
  const auto policy = idle.kind == timer_kind::fold    ? tactor::missed::fold
                      : idle.kind == timer_kind::burst ? tactor::missed::burst
                                                       : tactor::missed::skip;
  return scheduler_.schedule_at_fixed_rate(period, period, run, {.missed_runs = policy});
}

void workload::execute(timer& due, tactor::execution_batch batch) {
  const std::uint64_t now_ns = clock_.now().ticks;
  const std::scoped_lock lock{mutex_};
  ++figures_.own.executions;
  record(due, batch, now_ns);

  switch (due.kind) {
  case timer_kind::fold:
    due.due_ns += batch.runs * due.period_ns;
    put_off_one_watchdog();
    break;
  case timer_kind::burst:
    due.due_ns += due.period_ns;
    break;
  case timer_kind::skip:  // the newest point of the grid: it may be its next run's as well
    break;
  case timer_kind::delay:
    due.slack_ns = 0;
    due.due_ns = deadline_ns(std::chrono::nanoseconds{static_cast<std::int64_t>(due.period_ns)});
    break;
  default:
    start(due);
  }
}

void workload::record(timer& due, tactor::execution_batch batch, std::uint64_t now_ns) {
  kind_figures& sums = figures_.by_kind[std::to_underlying(due.kind)];
  ++sums.executions;
  sums.missed += batch.missed();
  if (now_ns < due.due_ns) ++figures_.own.early;
  if (due.kind == timer_kind::skip) {
    // It does not say how many runs were forgotten: it stands for the newest that is due.
    const std::uint64_t passed = (now_ns - std::min(now_ns, due.due_ns)) / due.period_ns;
    due.due_ns += passed * due.period_ns;
    if (passed > 1) sums.missed += passed - 1;
  }
  const std::uint64_t deadline = due.due_ns + due.slack_ns;
  sums.late.record(now_ns > deadline ? now_ns - deadline : 0);
}

void workload::put_off_one_watchdog() {
  const std::span<timer> watchdogs = all_of(timer_kind::watchdog);
  timer& dog = watchdogs[next_watchdog_++ % watchdogs.size()];
  if (!dog.handle.cancel()) return;  // it runs already, or waits to be started again
  ++figures_.by_kind[std::to_underlying(timer_kind::watchdog)].put_off;
  start(dog);
}

void workload::became_idle(timer& ended) {
  const std::scoped_lock lock{mutex_};
  ended.idle = true;
}

workload::scheduled workload::note(scheduled result) {
  const std::scoped_lock lock{mutex_};
  ++(result ? figures_.own.accepted : figures_.own.refused);
  return result;
}

std::chrono::nanoseconds workload::delay_of(timer_kind kind) {
  switch (kind) {
  case timer_kind::near:
    return between(5ms, 400ms);
  case timer_kind::far:
  case timer_kind::low:
    return between(700ms, 4s);
  case timer_kind::watchdog:
    return 2s;
  case timer_kind::message:
    return between(5ms, 200ms);
  default:
    return between(2ms, 20ms) / 1ms * 5ms;  // on the grid of ticks
  }
}

std::chrono::nanoseconds workload::between(std::chrono::nanoseconds least,
                                           std::chrono::nanoseconds most) {
  std::uniform_int_distribution<std::int64_t> any{least.count(), most.count()};
  return std::chrono::nanoseconds{any(random_)};
}

std::uint64_t workload::deadline_ns(std::chrono::nanoseconds delay) const {
  const tactor::duration resolution = scheduler_.config().timing.resolution;
  const auto deadline = tactor::deadline_after(clock_.now(), delay, resolution);
  return deadline->count * static_cast<std::uint64_t>(resolution.nanoseconds());
}

std::span<workload::timer> workload::all_of(timer_kind kind) {
  std::size_t first = 0;
  for (std::size_t before = 0; before < std::to_underlying(kind); ++before)
    first += descriptions[before].count;
  return std::span{timers_}.subspan(first, descriptions[std::to_underlying(kind)].count);
}

}  // namespace showcase
