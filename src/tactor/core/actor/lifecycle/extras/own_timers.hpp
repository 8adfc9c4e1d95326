// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/actor_ref_base.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/scheduler/cancellable.hpp"

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
  own_timer_slot(const actor_ref<>& to, origin sender) noexcept;
  own_timer_slot(const own_timer_slot&) = delete;
  own_timer_slot& operator=(const own_timer_slot&) = delete;
  ~own_timer_slot();

  /// False: memory is needed, and there is none.
  [[nodiscard]] bool usable() const noexcept { return owner_ == nullptr || entry_ != nullptr; }
  /// The timer was scheduled. Also forgets timers that are over: it remembers at most
  /// twice as many timers as are live.
  void remember(const cancellable& scheduled) noexcept;

private:
  cell* owner_ = nullptr;       // null: nothing to remember
  own_timer* entry_ = nullptr;  // not in the list yet
};

/// Does nothing: a board remembers timers only if someone names this.
void link_own_timers() noexcept;

/// Cancels all of them.
void cancel_own_timers(thread_record& here, cell& c) noexcept;
/// Forgets all of them, for an actor that has ended.
void forget_own_timers(thread_record& here, own_timer* last) noexcept;

}  // namespace tactor::inline v0::internal
