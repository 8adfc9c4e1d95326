// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/interrupt_delivery.hpp"

#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/dispatch/ready_inbox.hpp"
#include "tactor/core/send/deliver.hpp"
#include "tactor/core/send/offer_rules.hpp"

namespace tactor::inline v0::internal {

namespace {

// Of a thread, what every send does; out of line, for the registers that it needs.
[[gnu::noinline]] tell_result send_of_thread(cell* to, std::uint32_t generation,
                                             envelope& e) noexcept {
  thread_record& here = this_thread();
  e.from = here.sender;
  return send(here, to, generation, e);
}

/// Pushes the message, makes an idle actor ready and counts the message, with interrupts masked
/// once for all of it. Returns: false if the mailbox is closed.
[[gnu::always_inline]] inline bool push_at_once(cell& to, envelope& e) noexcept {
  const port::interrupts_masked section;
  const push_result pushed = to.box.push_alone(e);
  if (pushed == push_result::closed) return false;
  if (pushed == push_result::make_ready) make_ready_alone(to);
  to.gate.load(relaxed)->count_send_alone();  // relaxed: stays; every actor has one
  return true;
}

}  // namespace

// Everything inside, also where the compiler saves space: how long an interrupt takes counts.
[[gnu::flatten]] tell_result send_on_board(cell* to, std::uint32_t generation,
                                           envelope& e) noexcept {
  e.kind = envelope_kind::message;
  e.detail = 0;
  if (!port::in_interrupt()) return send_of_thread(to, generation, e);
  e.from = {};
  e.generation = generation;
  // relaxed: may be another tenant's; the receiver checks
  const bool plain =
      to != nullptr && to->limits.load(relaxed) == 0 && accepts_mail(*to, generation);
  if (plain && push_at_once(*to, e)) return tell_result::ok;
  return send_with_limits(to, generation, e);
}

}  // namespace tactor::inline v0::internal
