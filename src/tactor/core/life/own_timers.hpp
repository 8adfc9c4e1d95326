// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/actor_ref_base.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/scheduler/cancellable.hpp"

#include <utility>

namespace tactor::inline v0::internal {

// The timers that an actor's context has scheduled to the actor itself: a restart cancels them.
// Context: the worker that runs the cell.

/// One of them, in the circular list of its actor. Names the job without keeping its record.
struct own_timer {
  static constexpr const char* type_name = "own timer";
  own_timer* next = nullptr;
  weak_cancellable job;
};

/// Memory to remember a timer, taken before the timer is scheduled: what was accepted can always be
/// cancelled.
class own_timer_slot {
public:
  /// Takes none if `sender` is not the actor `to`, or if no actor is ever restarted.
  own_timer_slot(const actor_ref<>& to, origin sender) noexcept {
    const own_timer_functions* const own = linked().own_timers;
    if (own == nullptr || !to) return;
    if (sender != origin::of_actor(to.slot()->slot, to.generation())) return;
    if (!this_thread().services->constants.restarts_actors) return;
    owner_ = to.slot();
    entry_ = own->take(this_thread(), *owner_);
  }
  own_timer_slot(const own_timer_slot&) = delete;
  own_timer_slot& operator=(const own_timer_slot&) = delete;
  ~own_timer_slot() {
    if (entry_ != nullptr) linked().own_timers->give_back(this_thread(), *entry_);
  }

  /// False: memory is needed, and there is none.
  [[nodiscard]] bool usable() const noexcept { return owner_ == nullptr || entry_ != nullptr; }
  /// The timer was scheduled.
  void remember(const cancellable& scheduled) noexcept {
    if (owner_ == nullptr) return;
    linked().own_timers->remember(this_thread(), *owner_, *std::exchange(entry_, nullptr),
                                  scheduled);
  }

private:
  cell* owner_ = nullptr;       // null: nothing to remember
  own_timer* entry_ = nullptr;  // not in the list yet
};

}  // namespace tactor::inline v0::internal
