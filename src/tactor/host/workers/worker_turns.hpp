// SPDX-License-Identifier: BSL-1.0
// The turns that one worker thread runs, some hundred at a time, and what is measured of them.
#pragma once

#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/host/metrics/worker_figures.hpp"
#include "tactor/host/metrics/worker_hub.hpp"
#include "tactor/host/trace/trace_hub.hpp"
#include "tactor/host/workers/work_stealing_coordinator.hpp"

#include <cstddef>
#include <cstdint>

namespace tactor::inline v0::internal {

/// Runs the turns of one worker, and counts and measures them.
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
  /// Says what is observed of a turn.
  enum class turn_kind : std::uint8_t { plain, measured, traced };

  class runner;

  /// Runs at most `most` turns. Returns: how many.
  std::size_t run(turn_kind kind, actor_figures* of_actors, std::size_t most) noexcept;
  [[nodiscard]] bool tells_actors_apart() noexcept;

  // One turn in so many is measured. A prime number: actors that take turns are measured in turn.
  static constexpr std::size_t every = 509;

  system_core& system_;
  worker_hub& hub_;
  thread_record& here_;
  worker_figures& figures_;
  work_stealing_coordinator& pool_;
  pool_worker& worker_;
  worker_trace trace_;
  std::size_t since_measured_ = every;  // turns, from the last measured one on
  bool is_timed_ = false;
};

}  // namespace tactor::inline v0::internal
