// SPDX-License-Identifier: BSL-1.0
// The turns that one worker thread runs, some hundred at a time, and what is measured of them.
#pragma once

#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/host/metrics/worker_figures.hpp"
#include "tactor/host/metrics/worker_hub.hpp"
#include "tactor/host/trace/trace_hub.hpp"
#include "tactor/host/workers/work_stealing_coordinator.hpp"

#include <cstddef>

namespace tactor::inline v0::internal {

/// The turns of one worker. Each level of metrics, and a trace, has its own loop, so that a loop has no
/// branch for what is not measured.
class worker_turns {
public:
  /// `here`: the record of the thread that runs the turns.
  worker_turns(system_core& system, worker_hub& hub, worker_figures& figures, thread_record& here,
               work_stealing_coordinator& pool, pool_worker& worker) noexcept;

  /// Runs some turns. Returns: how many.
  std::size_t run_some() noexcept;

  /// Begins a pause: there is nothing to run.
  void begin_idle() noexcept;
  /// Ends a pause.
  void end_idle() noexcept;

private:
  std::size_t run_by_actor() noexcept;
  [[gnu::noinline]] std::size_t run_traced(metrics_level level) noexcept;
  template <class Plain, class Measured>
  std::size_t run_measuring(const Plain& plain, const Measured& measured) noexcept;
  template <class Runner>
  std::size_t run(Runner runner, std::size_t most) noexcept;
  bool tells_actors_apart() noexcept;

  // About one turn in 500 is measured. Not a round number: actors that take turns are measured in turn.
  static constexpr std::size_t every = 508;

  system_core& system_;
  worker_hub& hub_;
  thread_record& here_;
  worker_figures& figures_;
  work_stealing_coordinator& pool_;
  pool_worker& worker_;
  worker_trace trace_;
  std::size_t unmeasured_ = every;  // turns since the last measured turn
  bool is_timed_ = false;
};

}  // namespace tactor::inline v0::internal
