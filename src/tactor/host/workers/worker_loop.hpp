// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/host/metrics/worker_figures.hpp"
#include "tactor/host/metrics/worker_hub.hpp"
#include "tactor/host/trace/trace_hub.hpp"
#include "tactor/host/workers/work_stealing_coordinator.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>

namespace tactor::inline v0::internal {

class blocked_worker_watch;

/// Gives cells their turns on the thread of one worker, and counts and measures these turns.
/// Context: the worker.
class worker_loop {
public:
  /// `here`: the record of the calling thread.
  worker_loop(system_core& system, worker_hub& hub, worker_figures& figures, thread_record& here,
              work_stealing_coordinator& pool, pool_worker& worker) noexcept;

  /// Runs cells, and waits for cells, until the pool says that the worker is to leave. Tells
  /// `watch`, if it is not null, whenever the worker begins or has slept.
  void run(const port::atomic<blocked_worker_watch*>& watch) noexcept;

private:
  /// Says what is observed of a turn.
  enum class turn_kind : std::uint8_t { plain, measured, traced };

  std::size_t run_some() noexcept;
  std::size_t run_turns(turn_kind first, actor_figures* of_actors, std::size_t most) noexcept;
  [[nodiscard]] bool wait() noexcept;
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
};

}  // namespace tactor::inline v0::internal
