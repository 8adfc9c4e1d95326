// SPDX-License-Identifier: BSL-1.0
// The slow path of coroutines. A board without any does not link it.
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/lifecycle/actor_tasks.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"

#include <utility>

namespace tactor::inline v0::internal {

void link_tasks() noexcept {}

/// Continues a coroutine whose result has come.
turn_step slow_path::continue_task(actor_tasks& tasks) noexcept {
  if (std::exchange(tasks.yields, false)) {
    result_.yields = true;
    (void)cell_.box.give_notice();  // for its next turn; the cell is running
    return step::continue_turn;
  }
  called_ = true;
  failure why;
  const auto [said, message] = tasks.run_ready(here_, cell_, why);
  if (said == call_result::failed) {
    const message_operations* const in = message == nullptr ? nullptr : message->operations;
    if (message != nullptr)
      internal::refuse_answer(here_, message->from, ask_failure::target_failed);
    fail(in, why);
  } else if (said == call_result::done) {
    cell_.active =
        cell_.active || message == nullptr || !message->operations->ignored_by_receive_timeout;
  }
  cell_.current = nullptr;
  if (message == nullptr) return cell_.wanted.stop ? stop(nullptr) : step::continue_turn;
  if (cell_.filtered && message->kind != envelope_kind::system)
    tell_middleware(*message, said, false);  // the coroutine had its contents
  tasks.release_message(here_, *message);
  return cell_.wanted.stop ? stop(nullptr) : step::continue_turn;
}

}  // namespace tactor::inline v0::internal
