// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/worker_turns.hpp"

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

/// The ready queue as seen by one worker.
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

/// Runs turns on one thread with the given function of the invoker.
template <invoke_result (message_invoker::*Invoke)(thread_record&, cell&) noexcept>
class turns_with {
public:
  turns_with(system_core& system, thread_record& here) noexcept
      : invoker_(system.invoker()), here_(here) {}
  invoke_result run(ready_cell& ready) noexcept {
    return (invoker_.*Invoke)(here_, static_cast<cell&>(ready));
  }

private:
  message_invoker& invoker_;
  thread_record& here_;
};
using plain_turns = turns_with<&message_invoker::invoke>;
using measured_turns = turns_with<&message_invoker::invoke_measured>;  // times the first handler
using traced_turns = turns_with<&message_invoker::invoke_traced>;

/// Runs turns with another runner, and counts messages for each actor.
template <class Runner>
class turns_by_actor {
public:
  turns_by_actor(Runner runner, actor_figures& figures) noexcept
      : runner_(runner),
        figures_(figures),
        labels_(figures.labels().of_slot.view()),
        taken_(figures.taken()) {}
  invoke_result run(ready_cell& ready) noexcept {
    const cell& c = static_cast<cell&>(ready);
    // Before the turn: afterwards another actor may be the tenant.
    const label_of_slot::entry& found = labels_.find(c.slot);
    std::uint32_t label = found.number();
    if (!found.is_of(c.tenant)) [[unlikely]]
      label = figures_.find_label(c);
    const invoke_result result = runner_.run(ready);
    taken_[label].add(messages_of(result));
    return result;
  }

private:
  // Copies of what is read in each turn: the compiler keeps them in registers.
  Runner runner_;
  actor_figures& figures_;
  label_of_slot::reader labels_;
  port::counter* taken_;
};

}  // namespace

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

/// Everything it needs is a local object, which the compiler keeps in registers.
template <class Runner>
std::size_t worker_turns::run(Runner runner, std::size_t most) noexcept {
  own_queue queue{pool_, worker_};
  worker_executor<own_queue, Runner> executor{queue, runner};
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

template <class Plain, class Measured>
std::size_t worker_turns::run_measuring(const Plain& plain, const Measured& measured) noexcept {
  std::size_t turns = 0;
  if (unmeasured_ >= every) {
    turns = run(measured, 1);
    if (turns == 0) return 0;
    unmeasured_ = 0;
  }
  const std::size_t more = run(plain, std::min(turns_between_counts, every - unmeasured_));
  unmeasured_ += more;
  return turns + more;
}

bool worker_turns::tells_actors_apart() noexcept {
  if (figures_.of_actors.is_ready()) return true;
  actor_labels* const labels = hub_.labels();
  return labels != nullptr && figures_.of_actors.prepare(*labels);
}

std::size_t worker_turns::run_by_actor() noexcept {
  actor_figures& figures = figures_.of_actors;
  figures_.times.of_actors = &figures;
  return run_measuring(turns_by_actor{plain_turns{system_, here_}, figures},
                       turns_by_actor{measured_turns{system_, here_}, figures});
}

/// Times of handlers are in the trace, and not measured besides. Out of line: the other loops keep their
/// registers.
std::size_t worker_turns::run_traced(metrics_level level) noexcept {
  const traced_turns turns{system_, here_};
  if (level >= metrics_level::actor && tells_actors_apart())
    return run(turns_by_actor{turns, figures_.of_actors}, turns_between_counts);
  return run(turns, turns_between_counts);
}

std::size_t worker_turns::run_some() noexcept {
  const metrics_level level = system_.hub().level();
  here_.counters = level == metrics_level::off ? nullptr : &figures_.counters;
  here_.trace.recorder = trace_.recorder();
  if (here_.trace.recorder != nullptr) [[unlikely]]
    return run_traced(level);
  if (level == metrics_level::off) return run(plain_turns{system_, here_}, turns_between_counts);
  if (level >= metrics_level::actor && tells_actors_apart()) return run_by_actor();
  figures_.times.of_actors = nullptr;
  return run_measuring(plain_turns{system_, here_}, measured_turns{system_, here_});
}

void worker_turns::begin_idle() noexcept {
  is_timed_ = system_.hub().level() != metrics_level::off;
  if (is_timed_) figures_.begin_idle(system_.now_ns());
}

void worker_turns::end_idle() noexcept {
  constexpr std::uint64_t short_ns = 100'000;
  // After a pause a measurement costs little; without one it would cost most of a short turn.
  if (is_timed_ && figures_.end_idle(system_.now_ns()) >= short_ns) unmeasured_ = every;
}

}  // namespace tactor::inline v0::internal
