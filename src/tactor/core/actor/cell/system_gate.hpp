// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {

class system_services;

/// The way into a system for those who may outlive it. Type-stable: a cell names it for ever.
///
/// Nobody holds a lock inside: what is told may lead to code of the user, which may send.
class system_gate {
public:
  constexpr system_gate() noexcept = default;

  /// Requires: the gate is shut.
  void open(system_services& services) noexcept {
    const lock_guard guard{mutex_};
    services_.store(&services, relaxed);  // relaxed: the lock orders it
  }
  /// Waits for those who are inside.
  void close() noexcept {
    {
      const lock_guard guard{mutex_};
      services_.store(nullptr, relaxed);  // relaxed: the lock orders it
    }
    while (inside_.load(acquire) != 0)  // pairs: gate.inside
      port::cpu_relax();
  }
  /// Calls `tell(system_services&)`, if there still is one, from a thread that is not its own. Meanwhile
  /// the thread counts as one of it: what the call leads to goes the short way and not in here again.
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
  /// Whether `home` is whose gate it is. Context: a thread of `home`.
  [[nodiscard]] bool leads_to(const system_services* services) const noexcept {
    return services_.load(relaxed) ==
           services;  // relaxed: as long as `home` has threads, it is its gate
  }

  port::cell<system_gate*> next;  // for whoever keeps the unused ones

private:
  system_services* step_inside() noexcept {
    const lock_guard guard{mutex_};
    system_services* const services = services_.load(relaxed);  // relaxed: the lock orders it
    if (services != nullptr) inside_.fetch_add(1, relaxed);     // relaxed: the lock orders it
    return services;
  }

  port::mutex mutex_;
  // Written by: open, shut, under the lock. Read by: who has the lock, threads of a system. Publishes:
  // nothing; the lock does.
  port::atomic<system_services*> services_;
  // Written by: who enters, under the lock; who leaves. Read by: shut. Publishes: what was done inside.
  port::atomic<std::uint32_t> inside_;
};

}  // namespace tactor::inline v0::internal
