// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/worker_loop.hpp"

#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/host/metrics/actor_figures.hpp"
#include "tactor/host/workers/blocked_worker_watch.hpp"

#include <algorithm>

namespace tactor::inline v0::internal {

worker_loop::worker_loop(system_core& system, worker_hub& hub, worker_figures& figures,
                         thread_record& here, work_stealing_coordinator& pool,
                         pool_worker& worker) noexcept
    : system_(system),
      hub_(hub),
      here_(here),
      figures_(figures),
      pool_(pool),
      worker_(worker),
      trace_(hub.traces, figures.name) {
  begin_counting_sends(here_);
}

void worker_loop::run(const port::atomic<blocked_worker_watch*>& watch) noexcept {
  do {
    // relaxed: it was there before this thread
    if (blocked_worker_watch* const watching = watch.load(relaxed)) watching->worker_woke();
    while (run_some() != 0 && !work_stealing_coordinator::is_draining(worker_)) {
    }
  } while (wait());
}

/// Runs some turns: so many that looking at the settings costs little. Returns: how many; 0 if
/// nothing is ready.
std::size_t worker_loop::run_some() noexcept {
  constexpr std::size_t most = 256;
  const metrics_level level = system_.hub().level();
  here_.counters = level == metrics_level::off ? nullptr : &figures_.counters;
  here_.trace.recorder = trace_.recorder();
  const bool tells_apart = level >= metrics_level::actor && tells_actors_apart();
  actor_figures* const of_actors = tells_apart ? &figures_.of_actors : nullptr;
  figures_.times.of_actors = of_actors;
  if (here_.trace.recorder != nullptr) [[unlikely]]  // the trace has the times of handlers
    return run_turns(turn_kind::traced, of_actors, most);
  if (level == metrics_level::off) return run_turns(turn_kind::plain, nullptr, most);
  if (since_measured_ >= every) {
    const std::size_t turns = run_turns(turn_kind::measured, of_actors, most);
    if (turns != 0) since_measured_ = turns;
    return turns;
  }
  const std::size_t turns =
      run_turns(turn_kind::plain, of_actors, std::min(most, every - since_measured_));
  since_measured_ += turns;
  return turns;
}

/// Runs at most `most` turns, of which only the first is measured. Counts messages for each actor
/// if `of_actors` is not null. Returns: how many turns.
std::size_t worker_loop::run_turns(turn_kind first, actor_figures* of_actors,
                                   std::size_t most) noexcept {
  // Everything that the loop needs is a local object, which the compiler keeps in registers.
  system_core& system = system_;
  thread_record& here = here_;
  work_stealing_coordinator& pool = pool_;
  pool_worker& worker = worker_;
  turn_kind kind = first;
  const auto run_one = [&](cell& actor) {
    const turn_context in{.system = system, .thread = here, .actor = actor};
    if (kind == turn_kind::plain) [[likely]]
      return run_turn(in);
    if (kind == turn_kind::traced) return run_traced_turn(in);
    kind = turn_kind::plain;
    return run_measured_turn(in);
  };

  std::size_t turns = 0;
  std::size_t yields = 0;
  std::uint64_t handled = 0;
  for (; turns < most; ++turns) {
    ready_cell* const next = pool.next_for(worker);
    if (next == nullptr) break;
    cell& actor = static_cast<cell&>(*next);
    // Before the turn: afterwards the slot may have another tenant.
    port::counter* const of_actor =
        of_actors == nullptr ? nullptr : &of_actors->taken_of(actor.slot, actor.tenant);
    const invoke_result result = run_one(actor);
    if (of_actor != nullptr) [[unlikely]]
      of_actor->add(result.messages);
    handled += result.messages;
    if (has_more(result)) ++yields;
    pool.report(worker, *next, result);
  }

  const std::int64_t unhandled = take_unhandled(here);
  const std::uint32_t sends = take_sends(here);
  if (here.counters == nullptr) return turns;
  worker_counters& to = figures_.counters;
  to.messages_handled.add(handled - static_cast<std::uint64_t>(unhandled));
  to.turns.add(turns);
  to.yields.add(yields);
  to.messages_sent.add(sends);
  return turns;
}

/// Waits until there may be something to run. Returns: false if the worker is to leave.
bool worker_loop::wait() noexcept {
  constexpr std::uint64_t short_ns = 100'000;
  here_.sender = {};  // no actor runs: what a log sink sends is not its message
  system_.timers().check_for_stall();
  system_.flush_log();
  const bool is_timed = system_.hub().level() != metrics_level::off;
  if (is_timed) figures_.begin_idle(system_.now_ns());
  const bool goes_on = pool_.wait(worker_);
  // After a pause a measurement costs little; without one it would cost most of a short turn.
  if (is_timed && figures_.end_idle(system_.now_ns()) >= short_ns) since_measured_ = every;
  return goes_on;
}

bool worker_loop::tells_actors_apart() noexcept {
  if (figures_.of_actors.is_ready()) return true;
  actor_series* const series = hub_.series();
  return series != nullptr && figures_.of_actors.prepare(*series);
}

}  // namespace tactor::inline v0::internal
