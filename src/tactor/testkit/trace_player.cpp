// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/trace_player.hpp"

#include "tactor/base/duration.hpp"
#include "tactor/core/message/envelope_sink.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <utility>

namespace tactor::inline v0::testkit {
namespace {

/// The player computes with times up to this one.
constexpr std::uint64_t most_ns = std::numeric_limits<std::uint64_t>::max() / 4;

/// Converts a number of ticks into a delay; the scheduler refuses a delay that is too long.
duration length_of(std::uint64_t ticks, std::int64_t tick_ns) noexcept {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const auto each = static_cast<std::uint64_t>(tick_ns);
  if (ticks > most / each) return duration{std::chrono::nanoseconds::max()};
  return duration{std::chrono::nanoseconds{static_cast<std::int64_t>(ticks * each)}};
}
duration length_of_ns(std::uint64_t ns) noexcept {
  return length_of(ns, 1);
}

}  // namespace

void trace_player::player_clock::stand_before(tick deadline, std::uint64_t delay_ns) noexcept {
  rest_ns = 0;
  if (deadline <= at || deadline.count > most_ns / tick_ns_ || delay_ns > most_ns) return;
  const std::uint64_t now_ns = at.count * tick_ns_;
  const std::uint64_t wanted_ns =
      deadline.count * tick_ns_ - std::min(deadline.count * tick_ns_, delay_ns);
  if (wanted_ns > now_ns) rest_ns = std::min<std::uint64_t>(wanted_ns - now_ns, tick_ns_ - 1);
}

trace_player::trace_player(const scheduler_config& config, run_function on_run)
    : on_run_(std::move(on_run)),
      clock_(static_cast<std::uint32_t>(config.timing.resolution.nanoseconds())),
      storage_(config),
      timers_(config, storage_.parts(clock_, executors_[0], *this)) {
  for (lane& each : executors_)
    each.of = this;
}

trace_player::~trace_player() {
  traced_.clear();
  (void)timers_.close();
  while (!due_.empty())
    run(0);
}

std::optional<trace_difference> trace_player::play(const replay_trace& trace) {
  entries_.resize(trace.entries.size() + 1);  // one more: a difference at the end shows
  logged_.resize(timers_.config().system_quota);
  deterministic_log log{timers_.events(), {.entries = entries_, .timers = logged_}};
  read(trace);
  for (std::size_t position = 0; position < trace.entries.size(); ++position)
    play_entry(trace, position, log);
  while (!due_.empty())
    run(0);
  log.stop();
  return log.first_difference(trace);
}

void trace_player::play_entry(const replay_trace& trace, std::size_t position,
                              const deterministic_log& log) {
  const log_entry& entry = trace.entries[position];
  if (entry.at > clock_.at) pass_time(entry.at);
  (void)new_fires(log);
  if (entry.kind == log_entry_kind::scheduled) return schedule(entry);
  if (entry.kind == log_entry_kind::cancelled) return cancel(entry.timer);
  if (fires_ahead_ == 0) {
    poll(trace, position);
    fires_ahead_ = new_fires(log);
  }
  if (fires_ahead_ > 0) --fires_ahead_;
  traced_[entry.timer].fires.pop_front();
}

/// Returns: the number of timers that have fired since the last call.
std::uint64_t trace_player::new_fires(const deterministic_log& log) noexcept {
  std::uint64_t count = 0;
  for (const std::uint64_t end = log.forgotten() + log.size(); seen_ < end; ++seen_) {
    if (seen_ < log.forgotten()) continue;
    const log_entry& each = log[static_cast<std::size_t>(seen_ - log.forgotten())];
    count += each.kind == log_entry_kind::fired ? 1U : 0U;
  }
  return count;
}

void trace_player::read(const replay_trace& trace) {
  for (std::size_t position = 0; position < trace.entries.size(); ++position) {
    const log_entry& entry = trace.entries[position];
    traced_timer& timer = traced_[entry.timer];
    if (entry.kind == log_entry_kind::cancelled) timer.is_cancelled = true;
    if (entry.kind != log_entry_kind::fired) continue;
    timer.fires.push_back({.position = position, .deadline = entry.deadline});
    last_poll_ = std::max(last_poll_, entry.at);
  }
}

void trace_player::take(timer_job& job) noexcept {
  due_.push_back({.job = &job, .timer = numbers_[job.id()]});
}

/// Moves the clock; runs that end in between end at their own time.
void trace_player::pass_time(tick until) {
  constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  run_all_but_waiting();
  while (true) {
    std::uint64_t first_ns = never;
    std::uint64_t first_timer = 0;
    for (const due_run& each : due_) {
      const std::uint64_t end_ns = latest_end_ns(each).value_or(first_ns);
      if (end_ns >= first_ns) continue;
      first_ns = end_ns;
      first_timer = each.timer;
    }
    const tick end{first_ns / clock_.tick_ns()};
    if (first_ns == never || end >= until) break;
    clock_.at = std::max(clock_.at, end);
    const fire next = traced_.at(first_timer).fires.front();
    end_before(next.deadline, next.position + 1);
  }
  clock_.at = until;
}

void trace_player::schedule(const log_entry& entry) {
  run_all_but_waiting();
  traced_timer& timer = traced_[entry.timer];
  if (!timer.fires.empty()) end_before(entry.deadline, timer.fires.front().position);
  timer.mode = entry.mode;
  timer.period_ns = entry.period_ns;
  timer.first = entry.deadline;
  const std::uint64_t ahead =
      entry.deadline > clock_.at ? ticks_between(clock_.at, entry.deadline) : 0;
  const duration first = length_of(ahead, timers_.config().timing.resolution.nanoseconds());
  job_dispatcher* const on = &executors_[std::min<std::size_t>(entry.executor, 16)];
  auto run = [this, number = entry.timer] {
    if (on_run_) on_run_(number);
  };
  const auto handle = entry.mode == job_mode::once
                          ? timers_.schedule_once(first, run, {.dispatcher = on})
                      : entry.mode == job_mode::fixed_rate
                          ? timers_.schedule_at_fixed_rate(first, length_of_ns(entry.period_ns),
                                                           run, {.dispatcher = on})
                          : timers_.schedule_with_fixed_delay(first, length_of_ns(entry.period_ns),
                                                              run, {.dispatcher = on});
  if (!handle) return;
  numbers_[handle->id()] = entry.timer;
  timer.handle = *handle;
}

/// Cancels a timer. Before that it lets a periodic job run, which may have led to the cancel; a
/// one-shot that was cancelled has not run.
void trace_player::cancel(std::uint64_t timer) {
  const auto is_its = [timer](const due_run& due) { return due.timer == timer; };
  if (traced_[timer].mode != job_mode::once) (void)run_first(is_its);
  (void)traced_[timer].handle.cancel();
  while (run_first(is_its)) {
  }
}

/// Polls the scheduler, which arms jobs with a fixed rate again. Jobs that fire before them next
/// time are armed before.
void trace_player::poll(const replay_trace& trace, std::size_t position) {
  run_all_but_waiting();
  for (; position < trace.entries.size(); ++position) {
    const log_entry& entry = trace.entries[position];
    if (entry.kind != log_entry_kind::fired || entry.at != clock_.at) break;
    const traced_timer& timer = traced_[entry.timer];
    if (timer.mode != job_mode::fixed_rate || timer.fires.size() < 2) continue;
    end_before(timer.fires[1].deadline, timer.fires[1].position);
  }
  (void)timers_.poll();
}

/// Ends the runs with a fixed delay whose next fire has this deadline, and is before `position` in
/// the trace.
void trace_player::end_before(tick deadline, std::size_t position) noexcept {
  const auto comes_before = [&](const due_run& due) {
    if (!latest_end_ns(due)) return false;
    const fire& next = traced_[due.timer].fires.front();
    return next.deadline == deadline && next.position < position;
  };
  while (run_first(comes_before)) {
  }
}

/// Runs the job whose timer fires first, among those that are `wanted`. Returns: false if there is
/// none.
template <class Wanted>
bool trace_player::run_first(Wanted wanted) noexcept {
  constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
  std::size_t first = due_.size();
  std::size_t first_position = never;
  for (std::size_t each = 0; each < due_.size(); ++each) {
    if (!wanted(due_[each])) continue;
    const std::deque<fire>& fires = traced_[due_[each].timer].fires;
    const std::size_t position = fires.empty() ? never : fires.front().position;
    if (first != due_.size() && position >= first_position) continue;
    first = each;
    first_position = position;
  }
  if (first == due_.size()) return false;
  run(first);
  return true;
}

void trace_player::run_all_but_waiting() noexcept {
  for (std::size_t each = 0; each < due_.size();) {
    if (waits(due_[each])) {
      ++each;
    } else {
      run(each);
    }
  }
}

void trace_player::run(std::size_t which) noexcept {
  const due_run due = due_[which];
  due_.erase(due_.begin() + static_cast<std::ptrdiff_t>(which));
  const auto entry = traced_.find(due.timer);
  const traced_timer* const timer = entry == traced_.end() ? nullptr : &entry->second;
  if (timer != nullptr && ends_unseen(*timer)) {
    (void)due.job->discard(post_result::closed);
    return;
  }
  if (timer != nullptr && timer->mode == job_mode::fixed_delay && !timer->fires.empty())
    clock_.stand_before(timer->fires.front().deadline, timer->period_ns);
  due.job->run();
  clock_.rest_ns = 0;
}

/// Returns: true if later entries decide when it runs.
bool trace_player::waits(const due_run& due) const noexcept {
  const traced_timer& timer = traced_.at(due.timer);
  return timer.mode == job_mode::once ? timer.is_cancelled : timer.mode == job_mode::fixed_delay;
}

/// Returns: true if a job with a fixed rate ends although the trace does not show it: there was a
/// poll in which it would have fired.
bool trace_player::ends_unseen(const traced_timer& timer) const noexcept {
  const bool is_last = !timer.is_cancelled && timer.fires.empty();
  if (!is_last || timer.mode != job_mode::fixed_rate || timer.period_ns == 0) return false;
  if (timer.first.count > most_ns / clock_.tick_ns() || timer.first > clock_.at ||
      clock_.at.count > most_ns / clock_.tick_ns() || timer.period_ns > most_ns)
    return false;
  const std::uint64_t passed_ns = ticks_between(timer.first, clock_.at) * clock_.tick_ns();
  const std::uint64_t rest_ns = timer.period_ns - passed_ns % timer.period_ns;
  return ticks_between(clock_.at, std::max(last_poll_, clock_.at)) * clock_.tick_ns() >= rest_ns;
}

/// Returns: the last moment at which a run with a fixed delay can end so that its next fire has the
/// deadline of the trace; nothing: it has none.
std::optional<std::uint64_t> trace_player::latest_end_ns(const due_run& due) const noexcept {
  const traced_timer& timer = traced_.at(due.timer);
  if (timer.mode != job_mode::fixed_delay || timer.fires.empty()) return std::nullopt;
  const tick next = timer.fires.front().deadline;
  if (next.count > most_ns / clock_.tick_ns()) return std::nullopt;
  const std::uint64_t next_ns = next.count * clock_.tick_ns();
  return next_ns - std::min(next_ns, timer.period_ns);
}

}  // namespace tactor::inline v0::testkit
