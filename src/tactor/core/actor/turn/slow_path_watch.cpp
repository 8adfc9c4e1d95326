// SPDX-License-Identifier: BSL-1.0
// The slow path of terminations, and of many system messages. A board without watches does not link it.
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/delivery/stack_envelope.hpp"
#include "tactor/core/actor/lifecycle/actor_tasks.hpp"
#include "tactor/core/actor/lifecycle/death_watch.hpp"
#include "tactor/core/actor/lifecycle/extras/actor_extras.hpp"
#include "tactor/core/actor/lifecycle/extras/rare_lists.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"

namespace tactor::inline v0::internal {

void link_terminations() noexcept {}

/// Keeps system messages for the next step. Returns: false if there is no memory for that.
bool slow_path::defer_system_messages(envelope_chain rest) noexcept {
  rare_lists* const lists = internal::rare_lists_of(here_, cell_);
  if (lists == nullptr) return false;
  lists->system_mail = rest;
  (void)cell_.box.give_notice();  // the cell is running
  return true;
}

/// Warns, once for each flood, of an actor that has system messages left after so many steps.
void slow_path::note_flood() noexcept {
  constexpr std::uint32_t many = 1024;
  if (!cell_.extended || cell_.extras->rare == nullptr) return;
  std::uint32_t& steps = cell_.extras->rare->system_steps;
  if (!cell_.box.peek().noticed()) {
    steps = 0;
  } else if (steps < many) {
    ++steps;
    if (steps < many) return;
    services_.misused(cell_, "system messages (signals, suspend, resume, watch) come faster than "
                             "the actor handles them, and its messages wait: send fewer");
  }
}

/// A watched actor has ended. The watcher is told when it runs, before its messages, in the order
/// of terminations.
void slow_path::deliver_terminated(envelope& e) noexcept {
  rare_lists* const lists = cell_.extended ? cell_.extras->rare : nullptr;
  if (lists == nullptr) return discard_envelope(here_, e);
  lists->deferred.push(e);
  deliver_deferred_terminated();
}

void slow_path::deliver_deferred_terminated() noexcept {
  while (runs() && !is_in_task(cell_) && cell_.extended && cell_.extras->rare != nullptr &&
         !cell_.extras->rare->deferred.empty()) {
    if (result_.system_messages >= most_system_messages_) {
      (void)cell_.box.give_notice();  // the rest in the next step; the cell is running
      return;
    }
    ++result_.system_messages;
    deliver_one_terminated(*cell_.extras->rare->deferred.pop());
  }
}

void slow_path::deliver_one_terminated(envelope& e) noexcept {
  const trace_key end = trace_key::of(&e);
  const internal::terminated_notice notice = internal::take_terminated(here_, cell_, e);
  if (!notice.wanted) return;
  if (notice.told != nullptr) {
    // As `terminated` is: it was never sent, so that it is no message of a user.
    notice.told->kind = envelope_kind::system;
    if (is_traced()) [[unlikely]]
      note_kept_send(here_, cell_, *notice.told);
    receive(*notice.told);
    if (!is_kept(*notice.told)) discard_envelope(here_, *notice.told);
    return;
  }
  stack_envelope<terminated> message{terminated{.who = notice.who, .why = notice.why},
                                     cell_.tenant};
  message.head.from =
      notice.who ? origin::of_actor(notice.who.slot()->slot, notice.who.generation()) : origin{};
  if (here_.trace.recorder != nullptr) [[unlikely]]
    note_kept_signal(here_, cell_, message.head, end);
  receive_notification(message.head);
}

}  // namespace tactor::inline v0::internal
