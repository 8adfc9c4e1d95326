// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {

class system_services;

/// Access to a system for threads that may outlive it. Type-stable: cells point to it for ever.
///
/// No lock is held inside: the call may lead to user code, which may send.
class system_gate {
public:
  constexpr system_gate() noexcept = default;

  /// Requires: the gate is closed.
  void open(system_services& services) noexcept {
    const lock_guard guard{mutex_};
    services_.store(&services, relaxed);  // relaxed: the lock orders it
  }
  /// Waits for the threads inside.
  void close() noexcept {
    {
      const lock_guard guard{mutex_};
      services_.store(nullptr, relaxed);  // relaxed: the lock orders it
    }
    while (inside_.load(acquire) != 0)  // pairs: gate.inside
      port::cpu_relax();
  }
  /// Calls `tell(system_services&)`, if the system still exists, from a thread outside of it.
  /// Meanwhile the thread counts as a thread of the system, so nested calls do not enter again.
  template <class Tell>
  void enter(thread_record& here, Tell tell) noexcept {
    system_services* const services = step_inside();
    if (services == nullptr) return;
    system_services* const own = std::exchange(here.services, services);
    worker_counters* const counters = std::exchange(here.counters, nullptr);
    tell(*services);
    here.services = own;
    here.counters = counters;
    inside_.fetch_sub(1, release);  // pairs: gate.inside
  }
  /// Whether the gate belongs to `services`. Context: a thread of that system.
  [[nodiscard]] bool leads_to(const system_services* services) const noexcept {
    return services_.load(relaxed) ==
           services;  // relaxed: as long as the system has threads, the gate is its own
  }

  port::cell<system_gate*> next;  // link in the list of unused gates

private:
  system_services* step_inside() noexcept {
    const lock_guard guard{mutex_};
    system_services* const services = services_.load(relaxed);  // relaxed: the lock orders it
    if (services != nullptr) inside_.fetch_add(1, relaxed);     // relaxed: the lock orders it
    return services;
  }

  port::mutex mutex_;
  // Written by: open, close, under the lock. Read by: the lock's holder, threads of a system.
  // Publishes: nothing; the lock does.
  port::atomic<system_services*> services_;
  // Written by: enter, under the lock and on leaving. Read by: close. Publishes: work done inside.
  port::atomic<std::uint32_t> inside_;
};

}  // namespace tactor::inline v0::internal
