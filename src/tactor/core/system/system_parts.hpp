// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/core/system/system_log.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/port/port.hpp"

namespace tactor::inline v0 {
struct metrics_snapshot;
}  // namespace tactor::inline v0

namespace tactor::inline v0::internal {

/// Runs the actors that do not run on the pool. Context: any thread.
class dispatcher_set {
public:
  /// The coordinator for an actor that is about to be made. Returns: null if there is none.
  [[nodiscard]] virtual ready_queue_coordinator* choose(dispatcher which) noexcept = 0;
  /// The actor has ended, or was not made after all.
  virtual void release(ready_queue_coordinator& chosen) noexcept = 0;
  /// Counts the contents of all its ready queues.
  [[nodiscard]] virtual ready_queue_usage usage() noexcept = 0;

protected:
  ~dispatcher_set() = default;
};

/// Notified of what happens to a system, on the thread on which it happens.
class system_observer {
public:
  /// The last actor has ended. Requires: the system is not destroyed before the call has returned.
  virtual void all_stopped() noexcept = 0;
  /// A message was not handled whose type does not suppress that; `what` is without its contents.
  virtual void lost(const tactor::dead_letter& what) noexcept = 0;
  /// An actor failed; `what` may be without the type of the exception.
  virtual void failed(const actor_failed& what) noexcept = 0;
  /// An actor was restarted.
  virtual void restarted(const actor_restarted& what) noexcept = 0;

protected:
  ~system_observer() = default;
};

/// The parts that a system is connected to. All of them outlive it.
struct system_parts {
  const monotonic_clock& clock;
  scheduler* timers;                     // null: the program has no timers
  ready_queue_coordinator& coordinator;  // the pool
  dispatcher_set* others = nullptr;      // null: there is only the pool
  system_observer* observer = nullptr;
  system_log* log = nullptr;                 // null: nothing is logged
  metrics_snapshot* ended_counts = nullptr;  // of threads that have ended; null: none ends
};

}  // namespace tactor::inline v0::internal
