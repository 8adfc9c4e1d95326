// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/lost_messages.hpp"

#include "tactor/core/send/delivery.hpp"
#include "tactor/core/send/interrupt_delivery.hpp"
#include "tactor/core/send/offer_rules.hpp"
#include "tactor/core/send/tell_services.hpp"

#include <utility>

namespace tactor::inline v0::internal {

void report_lost(thread_record& here, cell* to, const lost_message& what) noexcept {
  tell_services(here, to, [&](system_services& services) noexcept { services.dead_letter(what); });
}

void report_lost(thread_record& here, system_gate* gate, const lost_message& what) noexcept {
  tell_services(here, gate,
                [&](system_services& services) noexcept { services.dead_letter(what); });
}

void report_lost(thread_record& here, cell* to, envelope& e, drop_reason why) noexcept {
  report_lost(here, to, lost(to, e, payload_of(e), why));
}

void report_unhandled(system_services& services, const cell& c, envelope& e) noexcept {
  services.dead_letter({.why = drop_reason::unhandled,
                        .operations = *e.operations,
                        .payload = payload_of(e),
                        .target = {.slot = c.slot, .generation = c.tenant},
                        .sender = e.from});
}

void report_unsent(thread_record& here, cell* to, std::uint32_t generation,
                   const message_operations& operations, drop_reason why) noexcept {
  if (port::in_interrupt()) return count_refused(to, why);
  report_lost(here, to,
              {.why = why,
               .operations = operations,
               .payload = nullptr,
               .target = index_of(to, generation),
               .sender = here.sender});
}

tell_result dead_letter_no_memory(thread_record& here, cell* to, std::uint32_t generation,
                                  const message_operations& operations) noexcept {
  const offer_result refused = refusal_without_memory(to, generation);
  report_unsent(here, to, generation, operations, refused.why);
  return refused.result;
}

tell_result refuse_on_board(cell* to, std::uint32_t generation,
                            const message_operations& operations) noexcept {
  return dead_letter_no_memory(this_sender(), to, generation, operations);
}

namespace {

// Of the interrupts of a board, by reason. Written by: interrupts. Read by: any. Publishes:
// nothing.
constinit port::atomic<std::uint32_t> refused_of_interrupts[drop_reasons];

}  // namespace

void count_refused(const cell* to, drop_reason why) noexcept {
  if (to == nullptr) return;
  refused_of_interrupts[std::to_underlying(why)].fetch_add(1, relaxed);  // relaxed: a number
}

std::uint32_t refused_in_interrupts(drop_reason why) noexcept {
  return refused_of_interrupts[std::to_underlying(why)].load(relaxed);  // relaxed: a number
}

}  // namespace tactor::inline v0::internal
