// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <utility>

namespace tactor::inline v0 {

class actor_home;

/// The way into a system for those who may outlive it. Type-stable: a cell names it for ever.
///
/// Nobody holds a lock inside: what is told may lead to code of the user, which may send.
class home_gate {
public:
  constexpr home_gate() noexcept = default;

  /// Requires: the gate is shut.
  void open(actor_home& home) noexcept {
    const lock_guard guard{mutex_};
    home_.store(&home, relaxed);  // relaxed: the lock orders it
  }
  /// Waits for those who are inside.
  void shut() noexcept {
    {
      const lock_guard guard{mutex_};
      home_.store(nullptr, relaxed);  // relaxed: the lock orders it
    }
    while (inside_.load(acquire) != 0)  // pairs: gate.inside
      port::cpu_relax();
  }
  /// Calls `tell(actor_home&)`, if there still is one, from a thread that is not its own. Meanwhile
  /// the thread counts as one of it: what the call leads to goes the short way and not in here again.
  template <class Tell>
  void enter(thread_record& here, Tell tell) noexcept {
    actor_home* const home = step_inside();
    if (home == nullptr) return;
    actor_home* const own = std::exchange(here.home, home);
    worker_counters* const counters = std::exchange(here.counters, nullptr);
    tell(*home);
    here.home = own;
    here.counters = counters;
    inside_.fetch_sub(1, release);  // pairs: gate.inside
  }
  /// Whether `home` is whose gate it is. Context: a thread of `home`.
  [[nodiscard]] bool leads_to(const actor_home* home) const noexcept {
    return home_.load(relaxed) == home;  // relaxed: as long as `home` has threads, it is its gate
  }

  port::cell<home_gate*> next;  // for whoever keeps the unused ones

private:
  actor_home* step_inside() noexcept {
    const lock_guard guard{mutex_};
    actor_home* const home = home_.load(relaxed);        // relaxed: the lock orders it
    if (home != nullptr) inside_.fetch_add(1, relaxed);  // relaxed: the lock orders it
    return home;
  }

  port::mutex mutex_;
  // Written by: open, shut, under the lock. Read by: who has the lock, threads of a system. Publishes:
  // nothing; the lock does.
  port::atomic<actor_home*> home_;
  // Written by: who enters, under the lock; who leaves. Read by: shut. Publishes: what was done inside.
  port::atomic<std::uint32_t> inside_;
};

}  // namespace tactor::inline v0
