// SPDX-License-Identifier: BSL-1.0
// What the runtime says to an actor: letters, deaths, deadlines.
#include "tactor/core/actor/lifecycle/actor_deadlines.hpp"
#include "tactor/core/actor/lifecycle/actor_extras.hpp"
#include "tactor/core/actor/lifecycle/death_watch.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/delivery/stack_envelope.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"
#include "tactor/core/actor/lifecycle/pending_asks.hpp"
#include "tactor/core/actor/lifecycle/receive_timeout.hpp"
#include "tactor/core/actor/lifecycle/fault_handling.hpp"
#include "tactor/core/actor/lifecycle/suspension.hpp"
#include "tactor/core/actor/cell/system_message_kind.hpp"
#include "tactor/core/actor/delivery/timer_envelope.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"

#include <cstdint>

namespace tactor::inline v0 {

turn_step long_way::take_system_messages() noexcept {
  envelope_chain mail = cell_.reader.take_system(cell_.box);
  step s = step::go_on;
  while (envelope* const e = mail.pop()) {
    leave_system_mail(cell_, *e);
    // Once it has ended, the rest of the cell is somebody else's.
    const bool wanted = s == step::go_on && e->generation == cell_.tenant;
    if (!wanted) {
      end_system_letter(here_, cell_, *e);
      continue;
    }
    take_letter(*e);
    if (here_.counters != nullptr) here_.counters->system_messages_handled.add(1);
    if (cell_.wanted.stop) s = stop(nullptr);
  }
  if (s == step::go_on) tell_what_was_held();
  return s == step::go_on && cell_.wanted.stop ? stop(nullptr) : s;
}

void long_way::take_letter(envelope& e) noexcept {
  if (e.kind == envelope_kind::timer) return take_deadline_letter(e);
  switch (letter_of(e)) {
  case system_letter::order:
    if (cell_.stage != life_stage::stopping)
      internal::obey(home_, here_, cell_, *static_cast<internal::order*>(payload_of(e)));
    return discard_envelope(here_, e);
  case system_letter::child_failed: {
    const bool had_failed = cell_.reasons.failed_itself() || cell_.wanted.stop;
    take_child_failure(home_, here_, cell_, e);
    failed_ = failed_ || (!had_failed && (cell_.reasons.failed_itself() || cell_.wanted.stop));
    return;
  }
  case system_letter::watch:
    // Those who come while it stops are told with the others.
    return internal::take_watch(here_, cell_, e);
  case system_letter::unwatch:
    return internal::take_unwatch(here_, cell_, e);
  case system_letter::terminated:
    return tell_of_death(e);
  case system_letter::room_wanted:
    return internal::take_room_wanted(here_, cell_, e);
  case system_letter::room_free:
    return internal::take_room_free(home_, here_, cell_, e);
  case system_letter::message:
    break;
  }
  if (cell_.object == nullptr || cell_.stage == life_stage::stopping)
    return end_system_letter(here_, cell_, e);
  receive(e);
  discard_envelope(here_, e);
}

/// An actor that this one watches has ended. It learns of it when it runs, ahead of its mail, and
/// after those that ended before.
void long_way::tell_of_death(envelope& e) noexcept {
  watch_lists* const lists = cell_.extended ? cell_.extras->watches : nullptr;
  if (lists == nullptr) return discard_envelope(here_, e);
  lists->held.push(e);
  tell_what_was_held();
}

void long_way::tell_what_was_held() noexcept {
  while (runs() && cell_.extended && cell_.extras->watches != nullptr) {
    envelope* const e = cell_.extras->watches->held.pop();
    if (e == nullptr) return;
    tell_of_one_death(*e);
  }
}

void long_way::tell_of_one_death(envelope& e) noexcept {
  const internal::death_notice notice = internal::take_terminated(here_, cell_, e);
  if (!notice.wanted) return;
  if (notice.told != nullptr) {
    receive(*notice.told);
    return discard_envelope(here_, *notice.told);
  }
  local_letter<terminated> letter{terminated{notice.who}, cell_.tenant};
  letter.head.from =
      notice.who ? origin::of_actor(notice.who.slot()->slot, notice.who.generation()) : origin{};
  receive(letter.head);
}

// Deadlines.

void long_way::take_deadline_letter(envelope& e) noexcept {
  timer_job& job = timer_letter::of(e).job();
  job.hold();
  if (job.begin()) {
    meet_deadlines();
    job.finish({});
  }
  job.let_go();
}

void long_way::meet_deadlines() noexcept {
  if (!cell_.extended) return;
  actor_deadlines& deadlines = cell_.extras->deadlines;
  deadlines.rung();
  const std::uint64_t now_ns = home_.now_ns();
  while (const auto due = deadlines.poll(now_ns)) {
    if (cell_.wanted.stop || cell_.stage == life_stage::stopping) return;
    meet(*due, now_ns);
  }
  if (cell_.wanted.stop || deadlines.rearm(home_, cell_, now_ns)) return;
  home_.misused(cell_,
                "there is no timer for the deadlines of an actor: raise the scheduler's quota");
}

void long_way::meet(deadline_of what, std::uint64_t now_ns) noexcept {
  switch (what) {
  case deadline_of::asks:
    if (!internal::note_overdue_asks(here_, cell_)) end_due_asks(now_ns);
    return;
  case deadline_of::idling:
    return tell_of_idling(now_ns);
  case deadline_of::restart:
    return go_on_restarting(home_, here_, cell_);
  case deadline_of::await_external:
    return internal::resume_in_time(home_, here_, cell_, suspend_reason::await_external);
  case deadline_of::rate_limit:
    return internal::resume_in_time(home_, here_, cell_, suspend_reason::rate_limit);
  case deadline_of::user_defined:
    return internal::resume_in_time(home_, here_, cell_, suspend_reason::user_defined);
  }
}

/// The time of a question is over.
void long_way::end_due_asks(std::uint64_t now_ns) noexcept {
  while (runs() && internal::has_due_ask(cell_, now_ns))
    end_first_ask(ask_failure::timed_out, now_ns);
  if (cell_.wanted.stop || internal::set_next_deadline(home_, cell_, now_ns)) return;
  // There is no timer for the others: better an end now than none.
  while (runs() && internal::has_due_ask(cell_, ~std::uint64_t{0}))
    end_first_ask(ask_failure::refused, now_ns);
}

void long_way::end_first_ask(ask_failure why_none, std::uint64_t now_ns) noexcept {
  cell_.current = nullptr;
  here_.handling.store(nullptr, relaxed);  // relaxed: a hint
  failure why;
  if (internal::end_first_ask(here_, cell_, why_none, now_ns, why) == call_result::failed)
    fail(nullptr, why);
}

void long_way::tell_of_idling(std::uint64_t now_ns) noexcept {
  if (!runs()) return internal::defer_idling(cell_);
  const auto timeout = internal::look_at_idling(home_, cell_, now_ns);
  if (!timeout) return;
  local_letter<receive_timeout> letter{receive_timeout{*timeout}, cell_.tenant};
  receive(letter.head);
}

}  // namespace tactor::inline v0
