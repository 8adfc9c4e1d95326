// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/trace_player.hpp"

#include "tactor/base/duration.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace tactor::inline v0::testkit {
namespace {

/// A number of ticks as a delay; a delay that is too long is refused later.
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
  constexpr std::uint64_t far = std::numeric_limits<std::uint64_t>::max() / 4;
  rest_ns = 0;
  if (deadline <= at || deadline.count > far / tick_ns_ || delay_ns > far) return;
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
    each.to = &waiting_;
}

trace_player::~trace_player() {
  handles_.clear();
  (void)timers_.close();
  run_waiting();
}

std::optional<trace_difference> trace_player::play(const replay_trace& trace) {
  entries_.resize(trace.entries.size() + 1);  // one more: a difference at the end shows
  logged_.resize(timers_.config().system_quota);
  deterministic_log log{timers_.events(), {.entries = entries_, .timers = logged_}};
  std::uint64_t seen = 0;
  const auto new_fires = [&] {
    std::uint64_t count = 0;
    for (const std::uint64_t end = log.forgotten() + log.size(); seen < end; ++seen) {
      if (seen < log.forgotten()) continue;
      const log_entry& each = log[static_cast<std::size_t>(seen - log.forgotten())];
      count += each.kind == log_entry_kind::fired ? 1U : 0U;
    }
    return count;
  };
  for (const log_entry& entry : trace.entries)
    if (entry.kind == log_entry_kind::fired) next_fires_[entry.timer].push_back(entry.deadline);
  for (const log_entry& entry : trace.entries) {
    if (entry.at > clock_.at) {
      run_waiting();  // before time passes: a fixed delay begins at the end of a run
      clock_.at = entry.at;
    }
    (void)new_fires();
    if (entry.kind == log_entry_kind::scheduled) {
      run_waiting();
      schedule(entry);
    } else if (entry.kind == log_entry_kind::cancelled) {
      if (const auto found = handles_.find(entry.timer); found != handles_.end())
        (void)found->second.cancel();
    } else {
      if (fires_ahead_ == 0) {
        run_waiting();
        (void)timers_.poll();
        fires_ahead_ = new_fires();
      }
      if (fires_ahead_ > 0) --fires_ahead_;
      next_fires_[entry.timer].pop_front();
    }
  }
  run_waiting();
  log.stop();
  return log.first_difference(trace);
}

void trace_player::schedule(const log_entry& entry) {
  const std::uint64_t ahead =
      entry.deadline > clock_.at ? ticks_between(clock_.at, entry.deadline) : 0;
  const duration first = length_of(ahead, timers_.config().timing.resolution.nanoseconds());
  job_dispatcher* const on = &executors_[std::min<std::size_t>(entry.executor, 16)];
  const bool measured = entry.mode == job_mode::fixed_delay;
  auto run = [this, timer = entry.timer, delay_ns = measured ? entry.period_ns : 0] {
    if (on_run_) on_run_(timer);
    if (delay_ns != 0) end_run(timer, delay_ns);
  };
  const auto made = entry.mode == job_mode::once
                        ? timers_.schedule_once(first, run, {.dispatcher = on})
                    : entry.mode == job_mode::fixed_rate
                        ? timers_.schedule_at_fixed_rate(first, length_of_ns(entry.period_ns), run,
                                                         {.dispatcher = on})
                        : timers_.schedule_with_fixed_delay(first, length_of_ns(entry.period_ns),
                                                            run, {.dispatcher = on});
  if (made) handles_[entry.timer] = *made;
}

/// A fixed delay begins when the run ends, somewhere within the tick: the trace shows only when it ended.
/// If it does not show a next run, the delay had not ended when the job was cancelled: it begins as late
/// as possible.
void trace_player::end_run(std::uint64_t timer, std::uint64_t delay_ns) {
  const auto next = next_fires_.find(timer);
  if (next == next_fires_.end() || next->second.empty()) return clock_.stand_at_the_end();
  clock_.stand_before(next->second.front(), delay_ns);
}

void trace_player::run_waiting() noexcept {
  (void)waiting_.run_all();
  clock_.rest_ns = 0;
}

}  // namespace tactor::inline v0::testkit
