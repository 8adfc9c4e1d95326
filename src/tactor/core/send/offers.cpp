// SPDX-License-Identifier: BSL-1.0
// `offer`, and sends that are refused or limited.
#include "tactor/core/features.hpp"
#include "tactor/core/send/deliver.hpp"
#include "tactor/core/send/delivery.hpp"
#include "tactor/core/send/interrupt_delivery.hpp"
#include "tactor/core/send/offer_rules.hpp"

namespace tactor::inline v0::internal {

namespace {

offer_result push_in_interrupt(cell& to, mailbox_limits limits, envelope& e) noexcept {
  return limits.bounded() ? linked().limits->offer_in_interrupt(to, limits, e)
                          : after_pushing(to.box.push(e), to);
}

}  // namespace

offer_result offer_from_interrupt(cell* to, std::uint32_t generation, envelope& e) noexcept {
  if (to == nullptr) return no_actor;
  e.generation = generation;
  const mailbox_limits limits{
      to->limits.load(relaxed)};  // relaxed: may be another tenant's; the receiver checks
  const offer_result offered =
      accepts_mail(*to, generation) ? push_in_interrupt(*to, limits, e) : gone;
  if (offered.result != tell_result::ok) return explained(offered, to, generation);
  count_foreign_send(this_sender(), *to);
  return {};
}

tell_result send_with_limits(cell* to, std::uint32_t generation, envelope& e) noexcept {
  const offer_result offered = offer_from_interrupt(to, generation, e);
  if (offered.result == tell_result::ok) return tell_result::ok;
  count_refused(to, offered.why);
  discard_envelope(this_sender(), e);
  return offered.why == drop_reason::dead_letter_rule ? tell_result::ok : offered.result;
}

offer_result offer(thread_record& here, cell* to, std::uint32_t generation, envelope& e) noexcept {
  if (port::in_interrupt()) return offer_from_interrupt(to, generation, e);
  return deliver(
      here, to, generation, e,
      [&](const offer_result& why) { return explained(why, to, generation); },
      [&](mailbox_limits limits) { return linked().limits->offer(here, *to, limits, e); });
}

tell_result refuse_send(thread_record& here, cell* to, envelope& e, offer_result offered) noexcept {
  if (offered.why == drop_reason::full) {
    offered = linked().limits->wait_or_hold_back(here, *to, e);
    if (offered.result == tell_result::ok) return tell_result::ok;
  }
  const drop_reason why = explained(offered, to, e.generation).why;
  end_as_dead_letter(here, to, e, why);
  return why == drop_reason::dead_letter_rule ? tell_result::ok : offered.result;
}

tell_result send_with_care(thread_record& here, cell& to, mailbox_limits limits,
                           envelope& e) noexcept {
  const offer_result offered = linked().limits->offer(here, to, limits, e);
  if (offered.result == tell_result::ok) return tell_result::ok;
  return refuse_send(here, &to, e, offered);
}

}  // namespace tactor::inline v0::internal
