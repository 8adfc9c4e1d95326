// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/tick.hpp"
#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/report/deterministic_log.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_config.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/testkit/simulation_memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace tactor::inline v0::testkit {

/// Plays a trace back as the input of a test: a scheduler that is given the schedules and cancels
/// of the trace, at the same ticks and in the same order, and is polled where the trace has a fire.
/// Its own log then equals the trace, unless the scheduler behaves differently than the recorded
/// scheduler.
///
/// A trace does not show when a run ended. The player ends it when the later entries say so: a
/// one-shot that was cancelled after it had fired does not run, a fixed delay begins in time for
/// the next fire, and a periodic job whose receiver has gone ends.
///
///     testkit::trace_player player{config};
///     if (const auto difference = player.play(*load_trace(text, entries))) …
///
/// Any trace that `load_trace` accepts can be played, also a trace that no scheduler has written:
/// an impossible step is refused as a scheduler refuses it, and shows as a difference. Context: one
/// thread.
class trace_player final : private timer_poller {
public:
  /// Called for each run of a timer, with its number in the trace.
  using run_function = std::function<void(std::uint64_t timer)>;

  /// Requires: `check(config)` holds; the resolution is that of the recorded scheduler.
  explicit trace_player(const scheduler_config& config = {}, run_function on_run = {});
  trace_player(const trace_player&) = delete;
  trace_player& operator=(const trace_player&) = delete;
  ~trace_player();

  /// Plays the whole trace. Returns: the first difference between the trace and what happened now;
  /// nothing: they are equal. Requires: called once. A trace whose beginning is forgotten differs.
  std::optional<trace_difference> play(const replay_trace& trace);

  /// Returns: the scheduler, for checks of its metrics and invariants.
  [[nodiscard]] scheduler& timers() noexcept { return timers_; }

private:
  /// A clock that stands at the beginning of a tick, or some nanoseconds after it.
  class player_clock final : public monotonic_clock {
  public:
    explicit player_clock(std::uint32_t tick_ns) noexcept : tick_ns_(tick_ns) {}
    [[nodiscard]] timer_instant now() const noexcept override {
      if (rest_ns == 0) return {.ticks = at.count, .resolution_ns = tick_ns_};
      return {.ticks = at.count * tick_ns_ + rest_ns, .resolution_ns = 1};
    }
    [[nodiscard]] clock_kind kind() const noexcept override { return clock_kind::deterministic; }
    /// Moves within the tick, so that `delay_ns` from then on ends at `deadline`, if it can be.
    void stand_before(tick deadline, std::uint64_t delay_ns) noexcept;
    [[nodiscard]] std::uint64_t tick_ns() const noexcept { return tick_ns_; }

    tick at = {};
    std::uint64_t rest_ns = 0;

  private:
    std::uint32_t tick_ns_;
  };

  /// One of several executors of one player.
  struct lane final : job_dispatcher {
    void dispatch(timer_job& job) noexcept override { of->take(job); }
    trace_player* of = nullptr;
  };

  /// A fire that the trace has still to show.
  struct fire {
    std::size_t position;  // in the trace
    tick deadline;
  };
  /// The entries of the trace about one timer.
  struct traced_timer {
    std::deque<fire> fires;
    bool is_cancelled = false;
    job_mode mode = job_mode::once;
    std::uint64_t period_ns = 0;
    tick first;  // deadline
    cancellable handle;
  };
  /// A run that is due and has not begun.
  struct due_run {
    timer_job* job;
    std::uint64_t timer;  // in the trace
  };

  void poll_now() noexcept override { (void)timers_.poll(); }
  void take(timer_job& job) noexcept;
  void read(const replay_trace& trace);
  void play_entry(const replay_trace& trace, std::size_t position, const deterministic_log& log);
  std::uint64_t new_fires(const deterministic_log& log) noexcept;
  void pass_time(tick until);
  void schedule(const log_entry& entry);
  void cancel(std::uint64_t timer);
  void poll(const replay_trace& trace, std::size_t position);
  void run(std::size_t which) noexcept;
  template <class Wanted>
  bool run_first(Wanted wanted) noexcept;
  void run_all_but_waiting() noexcept;
  [[nodiscard]] bool waits(const due_run& due) const noexcept;
  [[nodiscard]] bool ends_unseen(const traced_timer& timer) const noexcept;
  [[nodiscard]] std::optional<std::uint64_t> latest_end_ns(const due_run& due) const noexcept;
  void end_before(tick deadline, std::size_t position) noexcept;

  run_function on_run_;
  player_clock clock_;
  std::array<lane, 17> executors_;  // by their number in the trace; 0: not known
  timer_storage storage_;
  scheduler timers_;
  std::vector<log_entry> entries_;
  std::vector<logged_timer> logged_;
  std::map<std::uint64_t, traced_timer> traced_;    // by the number in the trace
  std::map<std::uint64_t, std::uint64_t> numbers_;  // in the trace, by the id of the job
  std::deque<due_run> due_;
  tick last_poll_;                 // of the trace
  std::uint64_t seen_ = 0;         // entries of this run's log
  std::uint64_t fires_ahead_ = 0;  // of this run, that the trace has still to show
};

}  // namespace tactor::inline v0::testkit
