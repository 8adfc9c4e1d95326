// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/worker_turns.hpp"

#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/worker_executor.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/host/metrics/actor_figures.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace tactor::inline v0::internal {
namespace {

constexpr std::size_t turns_between_counts = 256;

/// The ready queue as one worker uses it.
class own_queue {
public:
  own_queue(work_stealing_coordinator& pool, pool_worker& worker) noexcept
      : pool_(pool), worker_(worker) {}

  [[nodiscard]] std::size_t drain_ready_cycle(std::span<ready_cell*> out) noexcept {
    out[0] = pool_.next_for(worker_);
    return out[0] == nullptr ? 0 : 1;
  }
  void handle_invoke_result(ready_cell& cell, const invoke_result& result) noexcept {
    pool_.report(worker_, cell, result);
  }

private:
  work_stealing_coordinator& pool_;
  pool_worker& worker_;
};

}  // namespace

/// Gives cells their turns. The first turn is of kind `kind`; of measured turns only the first is
/// measured. Counts messages for each actor if `of_actors` is not null.
class worker_turns::runner {
public:
  runner(system_core& system, thread_record& here, turn_kind kind,
         actor_figures* of_actors) noexcept
      : system_(system),
        here_(here),
        of_actors_(of_actors),
        labels_(of_actors == nullptr ? label_of_slot::reader{nullptr}
                                     : of_actors->labels().of_slot.view()),
        taken_(of_actors == nullptr ? nullptr : of_actors->taken()),
        kind_(kind) {}

  invoke_result run(ready_cell& ready) noexcept {
    cell& c = static_cast<cell&>(ready);
    if (of_actors_ != nullptr) [[unlikely]]
      return run_counted(c);
    return run_of_kind(c);
  }

private:
  invoke_result run_counted(cell& c) noexcept {
    // Before the turn: afterwards the slot may have another tenant.
    const label_of_slot::entry& found = labels_.find(c.slot);
    const std::uint32_t label = label_of(found, c);
    const invoke_result result = run_of_kind(c);
    taken_[label].add(result.messages);
    return result;
  }
  [[nodiscard]] std::uint32_t label_of(const label_of_slot::entry& found, const cell& c) noexcept {
    if (found.is_of(c.tenant)) [[likely]]
      return found.number();
    return of_actors_->find_label(c);
  }
  invoke_result run_of_kind(cell& c) noexcept {
    const turn_context on{.system = system_, .thread = here_, .actor = c};
    if (kind_ == turn_kind::plain) [[likely]]
      return run_turn(on);
    if (kind_ == turn_kind::traced) return run_traced_turn(on);
    kind_ = turn_kind::plain;
    return run_measured_turn(on);
  }

  system_core& system_;
  thread_record& here_;
  actor_figures* of_actors_;
  // Of `of_actors_`: copies, which the compiler keeps in registers.
  label_of_slot::reader labels_;
  port::counter* taken_;
  turn_kind kind_;
};

worker_turns::worker_turns(system_core& system, worker_hub& hub, worker_figures& figures,
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

std::size_t worker_turns::run_some() noexcept {
  const metrics_level level = system_.hub().level();
  here_.counters = level == metrics_level::off ? nullptr : &figures_.counters;
  here_.trace.recorder = trace_.recorder();
  const bool tells_apart = level >= metrics_level::actor && tells_actors_apart();
  actor_figures* const of_actors = tells_apart ? &figures_.of_actors : nullptr;
  figures_.times.of_actors = of_actors;
  if (here_.trace.recorder != nullptr) [[unlikely]]  // the trace has the times of handlers
    return run(turn_kind::traced, of_actors, turns_between_counts);
  if (level == metrics_level::off) return run(turn_kind::plain, nullptr, turns_between_counts);
  if (since_measured_ >= every) {
    const std::size_t turns = run(turn_kind::measured, of_actors, turns_between_counts);
    if (turns != 0) since_measured_ = turns;
    return turns;
  }
  const std::size_t most = std::min(turns_between_counts, every - since_measured_);
  const std::size_t turns = run(turn_kind::plain, of_actors, most);
  since_measured_ += turns;
  return turns;
}

/// Everything it needs is a local object, which the compiler keeps in registers.
std::size_t worker_turns::run(turn_kind kind, actor_figures* of_actors, std::size_t most) noexcept {
  own_queue queue{pool_, worker_};
  runner turns_of{system_, here_, kind, of_actors};
  worker_executor executor{queue, turns_of};
  const std::size_t turns = executor.run(most);
  const std::int64_t unhandled = take_unhandled(here_);
  const std::uint32_t sends = take_sends(here_);
  if (here_.counters == nullptr) return turns;
  worker_counters& to = figures_.counters;
  to.messages_handled.add(executor.handled() - static_cast<std::uint64_t>(unhandled));
  to.turns.add(turns);
  to.yields.add(executor.yields());
  to.messages_sent.add(sends);
  return turns;
}

bool worker_turns::tells_actors_apart() noexcept {
  if (figures_.of_actors.is_ready()) return true;
  actor_labels* const labels = hub_.labels();
  return labels != nullptr && figures_.of_actors.prepare(*labels);
}

void worker_turns::begin_idle() noexcept {
  is_timed_ = system_.hub().level() != metrics_level::off;
  if (is_timed_) figures_.begin_idle(system_.now_ns());
}

void worker_turns::end_idle() noexcept {
  constexpr std::uint64_t short_ns = 100'000;
  // After a pause a measurement costs little; without one it would cost most of a short turn.
  if (is_timed_ && figures_.end_idle(system_.now_ns()) >= short_ns) since_measured_ = every;
}

}  // namespace tactor::inline v0::internal
