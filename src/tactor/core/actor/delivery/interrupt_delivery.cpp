// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/delivery/interrupt_delivery.hpp"

#include "tactor/core/actor/cell/mailbox_limits.hpp"
#include "tactor/core/actor/cell/system_gate.hpp"
#include "tactor/core/actor/delivery/offer_rules.hpp"
#include "tactor/core/mailbox/locked_queue.hpp"

namespace tactor::inline v0::internal {

void count_refused(const cell* to, drop_reason why) noexcept {
  if constexpr (port::has_interrupts) {
    system_gate* const gate = to == nullptr ? nullptr : to->gate.load(relaxed);  // relaxed: stays
    if (gate != nullptr) gate->count_refused(why);
  }
}

namespace {

offer_result after_pushing(cell& to, push_result pushed) noexcept {
  if (pushed == push_result::make_ready) make_ready(to);
  return pushed == push_result::closed ? gone : offer_result{};
}

/// Of a mailbox with `drop_oldest`.
offer_result evict_in_interrupt(cell& to, locked_queue* side_queue, envelope& e) noexcept {
  if (side_queue == nullptr) return gone;
  const locked_queue::outcome outcome = side_queue->push(&to, e, priority_in(*side_queue, e));
  if (!outcome.accepted) return gone;
  (void)after_pushing(to, to.box.note_side_queue());
  if (outcome.evicted == nullptr) return {};
  count_refused(&to, drop_reason::dropped_oldest);
  discard_envelope(this_sender(), *outcome.evicted);
  return {};
}

offer_result push_in_interrupt(cell& to, mailbox_limits limits, envelope& e) noexcept {
  if (!limits.bounded()) return after_pushing(to, to.box.push(e));
  locked_queue* const side_queue = to.own_side_queue();
  if (e.operations->control && side_queue != nullptr && side_queue->has_priorities()) {
    if (!side_queue->push_control(&to, e).accepted) return gone;
    return after_pushing(to, to.box.note_side_queue());
  }
  if (limits.rule() == overflow_strategy::drop_oldest) return evict_in_interrupt(to, side_queue, e);
  if (try_acquire_permit(to.waiting, limits.capacity()) == 0) return refusal_by(limits.rule());
  e.detail = holds_permit;
  const offer_result offered = after_pushing(to, push_to_queue(to, e));
  if (offered.result != tell_result::ok) to.waiting.fetch_sub(1, relaxed);  // relaxed: a number
  return offered;
}

}  // namespace

offer_result offer_from_interrupt(cell* to, std::uint32_t generation, envelope& e) noexcept {
  if (to == nullptr) return no_actor;
  e.generation = generation;
  const mailbox_limits limits{to->limits.load(relaxed)};  // relaxed: of this tenant or a dead one
  const offer_result offered =
      accepts_mail(*to, generation) ? push_in_interrupt(*to, limits, e) : gone;
  if (offered.result != tell_result::ok) return explained(offered, to, generation);
  count_foreign_send(this_sender(), *to);
  return {};
}

namespace {

/// The rest of `send_from_interrupt`: a mailbox with limits, or one that takes nothing.
[[gnu::noinline]] tell_result send_with_limits(cell* to, std::uint32_t generation,
                                               envelope& e) noexcept {
  const offer_result offered = offer_from_interrupt(to, generation, e);
  if (offered.result == tell_result::ok) return tell_result::ok;
  count_refused(to, offered.why);
  discard_envelope(this_sender(), e);
  return offered.why == drop_reason::dead_letter_rule ? tell_result::ok : offered.result;
}

}  // namespace

// Everything inside, also where the compiler saves space: how long an interrupt takes counts.
[[gnu::flatten]] tell_result send_from_interrupt(cell* to, std::uint32_t generation,
                                                 envelope& e) noexcept {
  e.generation = generation;
  // relaxed: of this tenant or a dead one
  if (to == nullptr || to->limits.load(relaxed) != 0 || !accepts_mail(*to, generation))
    return send_with_limits(to, generation, e);
  const push_result pushed = to->box.push(e);
  if (pushed == push_result::closed) return send_with_limits(to, generation, e);
  if (pushed == push_result::make_ready) make_ready(*to);
  if (system_gate* const gate = to->gate.load(relaxed))  // relaxed: type-stable
    gate->count_send(nullptr);
  return tell_result::ok;
}

}  // namespace tactor::inline v0::internal
