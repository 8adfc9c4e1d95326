// SPDX-License-Identifier: BSL-1.0

// What the core calls of features that a program does not use: nothing. These definitions are weak. Each feature has a source of its own,
// which the linker takes out of the library only if the program calls one of its other functions (`ctx.ask`, `ctx.stash`, `ctx.watch`, …);
// its definitions replace these then. On the host all features are linked.
#include "tactor/bare/absent_features.hpp"

#include "tactor/core/actor/event_stream.hpp"
#include "tactor/core/actor/lifecycle/death_watch.hpp"
#include "tactor/core/actor/lifecycle/outbox.hpp"
#include "tactor/core/actor/lifecycle/pending_asks.hpp"
#include "tactor/core/actor/lifecycle/receive_timeout.hpp"
#include "tactor/core/actor/lifecycle/stash.hpp"

#include <utility>

#define TACTOR_ABSENT [[gnu::weak]]  // only here

namespace tactor::inline v0 {

// Events: no one has subscribed.
TACTOR_ABSENT event_stream::~event_stream() {}
TACTOR_ABSENT std::size_t event_stream::remove(const type_identity*, const actor_ref<>&) noexcept {
  return 0;
}
TACTOR_ABSENT std::size_t event_stream::publish(const type_identity&, const void*,
                                                deliver_function) {
  return 0;
}

namespace internal {

// Asks of actors: none is pending.
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

// Receive timeouts: there is none.
TACTOR_ABSENT void cancel_receive_timeout(cell&) noexcept {}
TACTOR_ABSENT void note_activity(system_services&, cell&) noexcept {}
TACTOR_ABSENT std::optional<duration> check_receive_timeout(system_services&, cell&,
                                                            std::uint64_t) noexcept {
  return std::nullopt;
}
TACTOR_ABSENT void defer_receive_timeout(cell&) noexcept {}
TACTOR_ABSENT void pause_receive_timeout(cell&) noexcept {}
TACTOR_ABSENT void continue_receive_timeout(system_services&, cell&) noexcept {}

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
void absent_features() noexcept {}
}  // namespace bare::internal

}  // namespace tactor::inline v0
