// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/cell_parts.hpp"
#include "tactor/core/actor/cell/spawn_options.hpp"
#include "tactor/core/actor/cell/system_gate.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <span>

namespace tactor::inline v0::internal {

/// Runs the actors that do not run on the pool. Context: any thread.
class dispatcher_set {
public:
  /// The coordinator for an actor that is about to be made. Returns: null if there is none.
  [[nodiscard]] virtual ready_queue_coordinator* choose(dispatcher which) noexcept = 0;
  /// The actor has ended, or was not made after all.
  virtual void release(ready_queue_coordinator& chosen) noexcept = 0;
  /// What all its ready queues hold.
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
  scheduler& timers;
  ready_queue_coordinator& coordinator;  // the pool
  dispatcher_set* others = nullptr;      // null: there is only the pool
  system_observer* observer = nullptr;
  std::span<scheduler_event> warnings =
      {};  // for unread warnings of the timers; empty: a few places
};

/// A pointer to the gate of a system. Type-stable. A board has one gate, for its only system.
template <bool OfBoard = port::has_interrupts>
class gate_of_system {
public:
  gate_of_system& operator=(system_gate* taken) noexcept {
    taken_ = taken;
    return *this;
  }
  operator system_gate*() const noexcept { return taken_; }
  system_gate* operator->() const noexcept { return taken_; }

private:
  system_gate* taken_ = nullptr;
};
template <>
class gate_of_system<true> {
public:
  constexpr gate_of_system& operator=(system_gate* /*taken*/) noexcept { return *this; }
  constexpr operator system_gate*() const noexcept { return &gate_of_board; }
  constexpr system_gate* operator->() const noexcept { return &gate_of_board; }
};

/// Memory for unread warnings of the timers, if the owner gives none. A board has none.
template <bool Exists = sizeof(void*) == 8>
struct warnings_of_system {
  std::array<scheduler_event, 32> places{};
  [[nodiscard]] std::span<scheduler_event> all() noexcept { return places; }
};
template <>
struct warnings_of_system<false> {
  [[nodiscard]] static std::span<scheduler_event> all() noexcept { return {}; }
};

}  // namespace tactor::inline v0::internal
