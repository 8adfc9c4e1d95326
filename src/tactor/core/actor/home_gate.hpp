// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/actor/thread_record.hpp"
#include "tactor/port/port.hpp"

#include <utility>

namespace tactor::inline v0 {

class actor_home;

/// The way into a system for those who may outlive it. Type-stable: a cell names it for ever.
class home_gate {
public:
  constexpr home_gate() noexcept = default;

  /// Requires: the gate is shut.
  void open(actor_home& home) noexcept {
    const lock_guard guard{mutex_};
    home_ = &home;
  }
  /// Waits for those who are inside.
  void shut() noexcept {
    const lock_guard guard{mutex_};
    home_ = nullptr;
  }
  /// Calls `tell(actor_home&)`, if there still is one, from a thread that is not its own. Meanwhile
  /// the thread counts as one of it: what the call leads to goes the short way and not in here again.
  template <class Tell>
  void enter(thread_record& here, Tell tell) noexcept {
    const lock_guard guard{mutex_};
    if (home_ == nullptr) return;
    actor_home* const own = std::exchange(here.home, home_);
    worker_counters* const counters = std::exchange(here.counters, nullptr);
    tell(*home_);
    here.home = own;
    here.counters = counters;
  }
  /// Whether `home` is whose gate it is. Context: a thread of `home`.
  [[nodiscard]] bool leads_to(const actor_home* home) const noexcept { return home_ == home; }

  port::cell<home_gate*> next;  // for whoever keeps the unused ones

private:
  port::mutex mutex_;
  // protected by mutex_; a thread of the system itself may read it without
  actor_home* home_ = nullptr;
};

}  // namespace tactor::inline v0
