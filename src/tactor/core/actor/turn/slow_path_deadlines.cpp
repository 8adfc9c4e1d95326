// SPDX-License-Identifier: BSL-1.0
// The slow path of an actor's deadlines. A board whose actors have none does not link it.
#include "tactor/core/actor/delivery/noted_sends.hpp"
#include "tactor/core/actor/delivery/stack_envelope.hpp"
#include "tactor/core/actor/delivery/timer_envelope.hpp"
#include "tactor/core/actor/lifecycle/actor_tasks.hpp"
#include "tactor/core/actor/lifecycle/extras/actor_extras.hpp"
#include "tactor/core/actor/lifecycle/extras/receive_timeout.hpp"
#include "tactor/core/actor/lifecycle/fault_handling.hpp"
#include "tactor/core/actor/lifecycle/pending_asks.hpp"
#include "tactor/core/actor/lifecycle/suspension.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"
#include "tactor/core/actor/waiting/actor_deadlines.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

void link_deadlines() noexcept {}

void slow_path::handle_deadline_envelope(envelope& e) noexcept {
  timer_job& job = timer_envelope::of(e).job();
  if (!job.begin()) return;
  if (cell_.extended) cell_.extras->deadlines.timer_fired();
  job.finish({});  // first: the next timer of the actor can have its memory
  handle_deadlines();
}

void slow_path::handle_deadlines() noexcept {
  if (!cell_.extended) return;
  actor_deadlines& deadlines = cell_.extras->deadlines;
  const std::uint64_t now_ns = services_.now_ns();
  while (const auto due = deadlines.poll_expired(now_ns)) {
    if (cell_.wanted.stop || cell_.stage == lifecycle_stage::stopping) return;
    handle_deadline(*due, now_ns);
  }
  if (cell_.wanted.stop || deadlines.rearm(services_, cell_, now_ns)) return;
  services_.misused(cell_, "no memory for the actor's timer: asks, receive timeout, back-off and "
                           "suspensions will not time out");
}

void slow_path::handle_deadline(deadline_of what, std::uint64_t now_ns) noexcept {
  switch (what) {
  case deadline_of::asks:
    if (actor_tasks* const tasks = tasks_of(cell_)) {
      tasks->expire(services_, here_, cell_, now_ns);
      if (internal::set_deadline_of_awaits(services_, here_, cell_, now_ns)) return;
    }
    if (!internal::note_overdue_asks(here_, cell_)) expire_asks(now_ns);
    return;
  case deadline_of::receive_timeout:
    return deliver_receive_timeout(now_ns);
  case deadline_of::restart:
    return continue_restart(services_, here_, cell_);
  case deadline_of::await_external:
    return internal::resume_in_time(services_, here_, cell_, suspend_reason::await_external);
  case deadline_of::rate_limit:
    return internal::resume_in_time(services_, here_, cell_, suspend_reason::rate_limit);
  case deadline_of::user_defined:
    return internal::resume_in_time(services_, here_, cell_, suspend_reason::user_defined);
  }
}

void slow_path::deliver_receive_timeout(std::uint64_t now_ns) noexcept {
  if (!runs()) return internal::defer_receive_timeout(cell_);
  if (is_in_task(cell_)) cell_.active = true;  // it goes on after a yield
  const auto timeout = internal::check_receive_timeout(services_, cell_, now_ns);
  if (!timeout) return;
  stack_envelope<receive_timeout> message{receive_timeout{*timeout}, cell_.tenant};
  if (here_.trace.recorder != nullptr) [[unlikely]]
    note_kept_signal(here_, cell_, message.head,
                     trace_key::of(&cell_.extras->receive_timeout_state));
  receive_notification(message.head);
  if (cell_.wanted.stop || cell_.stage == lifecycle_stage::stopping) return;
  internal::repeat_receive_timeout(services_, cell_);
}

}  // namespace tactor::inline v0::internal
