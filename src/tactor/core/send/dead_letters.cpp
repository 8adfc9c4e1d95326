// SPDX-License-Identifier: BSL-1.0
// How a message ends that no actor handles.
#include "tactor/core/features.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/send/delivery.hpp"
#include "tactor/core/send/interrupt_delivery.hpp"
#include "tactor/core/send/lost_messages.hpp"
#include "tactor/core/send/offer_rules.hpp"
#include "tactor/core/send/send_times.hpp"

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
  if (e.kind == envelope_kind::answer) return linked().asks->end_late(here, e);
  if (e.kind == envelope_kind::timer) return linked().timers->end_as_dead_letter(here, to, e, why);
  if (e.has(envelope::has_time) && to != nullptr) take_send_time(*to, e);
  report_lost(here, to, e, why);
  const origin from = e.from;
  discard_lost(here, e);
  internal::refuse_answer(here, from, refusal_of(why));
}

}  // namespace tactor::inline v0::internal
