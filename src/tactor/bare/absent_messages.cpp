// SPDX-License-Identifier: BSL-1.0
// Messages other than plain ones to plain mailboxes: there are none. See absent_features.hpp.
#include "tactor/bare/absent_features.hpp"
#include "tactor/core/actor/delivery/answer.hpp"
#include "tactor/core/actor/delivery/deliver.hpp"
#include "tactor/core/actor/delivery/limited_delivery.hpp"
#include "tactor/core/actor/lifecycle/death_watch.hpp"
#include "tactor/core/actor/lifecycle/outbox.hpp"
#include "tactor/core/actor/lifecycle/pending_asks.hpp"
#include "tactor/core/actor/lifecycle/stash.hpp"
#include "tactor/core/actor/runtime/waiting_producers.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"
#include "tactor/core/message/envelope_pool.hpp"

#include <utility>

namespace tactor::inline v0 {

namespace internal {

// Large messages: there is no memory for them.
TACTOR_ABSENT envelope* envelope_pool::allocate_large(std::size_t, std::size_t) noexcept {
  return nullptr;
}
TACTOR_ABSENT void envelope_pool::release_large(envelope&) noexcept {}

// Refused sends: no actor ends and no mailbox has limits, so what is refused has no receiver.
TACTOR_ABSENT tell_result refuse_send(thread_record& here, cell* to, envelope& e,
                                      offer_result offered) noexcept {
  end_as_dead_letter(here, to, e, offered.why);
  return offered.result;
}
TACTOR_ABSENT tell_result send_with_care(thread_record&, cell&, mailbox_limits,
                                         envelope&) noexcept {
  return tell_result::closed;  // never
}
TACTOR_ABSENT tell_result send_with_limits(cell*, std::uint32_t, envelope& e) noexcept {
  discard_envelope(this_sender(), e);
  return tell_result::closed;
}

// Mailboxes with limits: there is none, and none is made.
TACTOR_ABSENT bool give_limits(cell&, const mailbox_options&, std::uint32_t) noexcept {
  return false;
}
TACTOR_ABSENT void end_limits(cell&) noexcept {}
TACTOR_ABSENT offer_result offer_with_care(thread_record&, cell&, mailbox_limits,
                                           envelope&) noexcept {
  return {.result = tell_result::full, .why = drop_reason::full};
}
TACTOR_ABSENT offer_result wait_or_hold_back(thread_record&, cell&, envelope&) noexcept {
  return {.result = tell_result::full, .why = drop_reason::full};
}
TACTOR_ABSENT offer_result offer_limited_in_interrupt(cell&, mailbox_limits, envelope&) noexcept {
  return {.result = tell_result::full, .why = drop_reason::full};
}
TACTOR_ABSENT void release_held_permit(cell&, envelope&) noexcept {}
TACTOR_ABSENT void release_in_turn(thread_record&, cell&, envelope&) noexcept {}
TACTOR_ABSENT void settle_permits(thread_record&) noexcept {}
TACTOR_ABSENT void end_side_queue(thread_record&, cell&) noexcept {}
TACTOR_ABSENT turn_step slow_path::process_side_queue() noexcept {
  return step::continue_turn;
}
TACTOR_ABSENT bool slow_path::waits_in_side_queue() noexcept {
  return false;
}
TACTOR_ABSENT turn_step slow_path::leave_side_queue() noexcept {
  return step::continue_turn;
}
TACTOR_ABSENT void slow_path::tidy_up() noexcept {}

// Messages with a reserved place: there is none.
TACTOR_ABSENT void slow_path::queue_reserved(envelope&) noexcept {}

// System messages: none is sent.
TACTOR_ABSENT turn_step slow_path::process_system_messages() noexcept {
  return step::continue_turn;
}
TACTOR_ABSENT void end_system_mail(thread_record&, cell& c) noexcept {
  (void)c.reader.close_system(c.box);
}
TACTOR_ABSENT void notify_actors(waiting_producers::notified) noexcept {}
TACTOR_ABSENT void give_back_used_capacity(thread_record&) noexcept {}

// Coroutines: none waits.
TACTOR_ABSENT turn_step slow_path::continue_task(actor_tasks&) noexcept {
  return step::continue_turn;
}

// Asks of actors: none is pending.
TACTOR_ABSENT bool slow_path::continue_ask(envelope&) noexcept {
  return false;
}
TACTOR_ABSENT void slow_path::expire_asks(std::uint64_t) noexcept {}
TACTOR_ABSENT void refuse_answer(thread_record&, origin, ask_failure) noexcept {}
TACTOR_ABSENT void end_late_answer(thread_record& here, envelope& answer) noexcept {
  discard_envelope(here, answer);
}
TACTOR_ABSENT bool note_overdue_asks(thread_record&, cell&) noexcept {
  return false;
}
TACTOR_ABSENT bool is_overdue_note(const cell&, const envelope&) noexcept {
  return false;
}
TACTOR_ABSENT void take_overdue_note(cell&) noexcept {}
TACTOR_ABSENT call_result take_answer(thread_record&, system_services&, cell&, envelope&,
                                      failure&) noexcept {
  return call_result::unhandled;
}
TACTOR_ABSENT bool has_due_ask(const cell&, std::uint64_t) noexcept {
  return false;
}
TACTOR_ABSENT call_result fail_first_ask(thread_record&, cell&, ask_failure, std::uint64_t,
                                         failure&) noexcept {
  return call_result::done;
}
TACTOR_ABSENT bool set_next_deadline(system_services&, cell&, std::uint64_t) noexcept {
  return true;
}
TACTOR_ABSENT bool set_deadline_of_awaits(system_services&, thread_record&, cell&,
                                          std::uint64_t) noexcept {
  return true;
}
TACTOR_ABSENT void end_asks(thread_record&, cell&) noexcept {}

// The stash: it is empty.
TACTOR_ABSENT void replay_after_restart(cell&) noexcept {}
TACTOR_ABSENT envelope* next_replayed(const cell&) noexcept {
  return nullptr;
}
TACTOR_ABSENT turn_step slow_path::replay(envelope&) noexcept {
  return step::continue_turn;
}
TACTOR_ABSENT envelope& take_replayed(cell&) noexcept {
  std::unreachable();
}
TACTOR_ABSENT void end_replayed(thread_record&, cell&) noexcept {}
TACTOR_ABSENT void drop_replayed(thread_record&, cell&, drop_reason) noexcept {}
TACTOR_ABSENT void end_stash(thread_record&, cell&) noexcept {}

// Watches: there is none.
TACTOR_ABSENT bool unwatch(thread_record&, cell&, const actor_ref<>&) noexcept {
  return false;
}
TACTOR_ABSENT void unwatch_children(thread_record&, cell&) noexcept {}
TACTOR_ABSENT void take_watch(thread_record&, cell&, envelope&) noexcept {}
TACTOR_ABSENT void take_unwatch(thread_record&, cell&, envelope&) noexcept {}
TACTOR_ABSENT void return_to_watcher(thread_record&, envelope&, termination) noexcept {}
TACTOR_ABSENT terminated_notice take_terminated(thread_record&, cell&, envelope&) noexcept {
  return {};
}
TACTOR_ABSENT void end_watches(thread_record&, cell&) noexcept {}
TACTOR_ABSENT bool slow_path::defer_system_messages(envelope_chain) noexcept {
  return false;
}
TACTOR_ABSENT void slow_path::note_flood() noexcept {}
TACTOR_ABSENT void slow_path::deliver_terminated(envelope& e) noexcept {
  discard_envelope(here_, e);
}
TACTOR_ABSENT void slow_path::deliver_deferred_terminated() noexcept {}

// Outboxes: messages to a full mailbox with `block_producer` do not wait.
TACTOR_ABSENT offer_result hold_back(system_services&, thread_record&, cell&, cell&,
                                     envelope&) noexcept {
  return {.result = tell_result::full, .why = drop_reason::full};
}
TACTOR_ABSENT bool holds_back(const cell&, const cell&, std::uint32_t) noexcept {
  return false;
}
TACTOR_ABSENT void take_permit(system_services&, thread_record&, cell&, envelope&) noexcept {}
TACTOR_ABSENT void end_outboxes(thread_record&, cell&) noexcept {}

}  // namespace internal

namespace bare::internal {
void absent_messages() noexcept {}
}  // namespace bare::internal

}  // namespace tactor::inline v0
