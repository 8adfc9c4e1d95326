// SPDX-License-Identifier: BSL-1.0
// How a message ends that no actor handles.
#include "tactor/core/actor/cell/system_services.hpp"
#include "tactor/core/actor/delivery/answer.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/delivery/interrupt_delivery.hpp"
#include "tactor/core/actor/delivery/noted_sends.hpp"
#include "tactor/core/actor/delivery/offer_rules.hpp"
#include "tactor/core/actor/delivery/tell_services.hpp"
#include "tactor/core/actor/delivery/timer_envelope.hpp"

namespace tactor::inline v0::internal {

namespace {

void report(thread_record& here, cell* to, const lost_message& lost) noexcept {
  tell_services(here, to, [&](system_services& services) noexcept { services.dead_letter(lost); });
}

mailbox_index index_of(cell* to, std::uint32_t generation) noexcept {
  if (to == nullptr) return {};
  return {.slot = to->slot, .generation = generation};
}

/// Whether the actor accepts nothing any more.
bool is_closed(drop_reason why) noexcept {
  return why == drop_reason::stopped || why == drop_reason::no_such_actor ||
         why == drop_reason::draining;
}

ask_failure refusal_of(drop_reason why) noexcept {
  return is_closed(why) ? ask_failure::target_terminated : ask_failure::refused;
}

/// Why a message is refused for which there is no memory: what a send checks first comes first.
offer_result refusal_without_memory(const cell* to, std::uint32_t generation) noexcept {
  if (to == nullptr) return no_actor;
  const lifecycle_word lifecycle{to->lifecycle.load(relaxed)};  // relaxed: as in a send
  const bool open = lifecycle.accepts_mail_for(generation) && to->box.peek().open();
  if (!open) return closed_by(*to, generation);
  return {.result = tell_result::full, .why = drop_reason::no_memory};
}

}  // namespace

tell_result result_without_memory(const cell* to, std::uint32_t generation) noexcept {
  return refusal_without_memory(to, generation).result;
}

tell_result dead_letter_no_memory(thread_record& here, cell* to, std::uint32_t generation,
                                  const message_operations& operations) noexcept {
  const offer_result refused = refusal_without_memory(to, generation);
  if (is_interrupt(here))
    count_refused(to, refused.why);
  else
    report(here, to,
           {.why = refused.why,
            .operations = operations,
            .payload = nullptr,
            .target = index_of(to, generation),
            .sender = here.sender});
  return refused.result;
}

tell_result refuse_on_board(cell* to, std::uint32_t generation,
                            const message_operations& operations) noexcept {
  return dead_letter_no_memory(this_sender(), to, generation, operations);
}

void dead_answer_no_memory(thread_record& here, origin reply_slot,
                           const message_operations& operations) noexcept {
  cell* const slot = program_memory.cells.at(reply_slot.index());
  report(here, slot,
         {.why = drop_reason::no_memory,
          .operations = operations,
          .payload = nullptr,
          .target = index_of(slot, reply_slot.generation),
          .sender = here.sender});
}

void end_as_dead_letter(thread_record& here, cell* to, envelope& e, drop_reason why) noexcept {
  if (e.kind == envelope_kind::answer) return internal::end_late_answer(here, e);
  if (thread_record::counted_elsewhere != 0 && e.kind == envelope_kind::timed && to != nullptr)
    take_send_time(*to, e);
  const bool timer = e.kind == envelope_kind::timer;
  const lost_message lost{.why = why,
                          .operations = *e.operations,
                          .payload = timer ? nullptr : payload_of(e),
                          .target = index_of(to, e.generation),
                          .sender = e.from};
  if (timer) {
    // `e` may be freed then, its operations are not.
    if (discard_timer(e, is_closed(why))) report(here, to, lost);
    return;
  }
  report(here, to, lost);
  const origin from = e.from;
  discard_envelope(here, e);
  internal::refuse_answer(here, from, refusal_of(why));
}

}  // namespace tactor::inline v0::internal
