// SPDX-License-Identifier: BSL-1.0
// How a message ends that no actor handles.
#include "tactor/core/actor/delivery/answer.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/delivery/interrupt_delivery.hpp"
#include "tactor/core/actor/delivery/lost_messages.hpp"
#include "tactor/core/actor/delivery/noted_sends.hpp"
#include "tactor/core/actor/delivery/offer_rules.hpp"
#include "tactor/core/actor/delivery/timer_envelope.hpp"

namespace tactor::inline v0::internal {

namespace {

ask_failure refusal_of(drop_reason why) noexcept {
  return is_closed(why) ? ask_failure::target_terminated : ask_failure::refused;
}

}  // namespace

tell_result result_without_memory(const cell* to, std::uint32_t generation) noexcept {
  return refusal_without_memory(to, generation).result;
}

void end_as_dead_letter(thread_record& here, cell* to, envelope& e, drop_reason why) noexcept {
  if (e.kind == envelope_kind::answer) return internal::end_late_answer(here, e);
  if (e.kind == envelope_kind::timer) return end_timer_as_dead_letter(here, to, e, why);
  if (thread_record::counted_elsewhere != 0 && e.kind == envelope_kind::timed && to != nullptr)
    take_send_time(*to, e);
  report_lost(here, to, e, why);
  const origin from = e.from;
  discard_lost(here, e);
  internal::refuse_answer(here, from, refusal_of(why));
}

}  // namespace tactor::inline v0::internal
