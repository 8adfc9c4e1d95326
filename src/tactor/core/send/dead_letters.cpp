// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/dead_letters.hpp"

#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/send/send.hpp"
#include "tactor/core/send/send_times.hpp"
#include "tactor/port/port.hpp"

#include <utility>

namespace tactor::inline v0::internal {
namespace {

// By reason. Written by: interrupts. Read by: any. Publishes: nothing.
constinit port::atomic<std::uint32_t> refused_of_interrupts[drop_reasons];

/// An interrupt can report nothing.
void count_refused(const cell* to, drop_reason why) noexcept {
  if (to == nullptr) return;
  refused_of_interrupts[std::to_underlying(why)].fetch_add(1, relaxed);  // relaxed: a number
}

ask_failure refusal_of(drop_reason why) noexcept {
  return is_closed(why) ? ask_failure::target_terminated : ask_failure::refused;
}

void end_message(thread_record& here, cell* to, envelope& e, drop_reason why,
                 acceptance by_mailbox) noexcept {
  report_lost(here, to, lost(to, e, payload_of(e), why, by_mailbox));
  const origin from = e.from;
  discard_lost(here, e);
  refuse_answer(here, from, refusal_of(why));
}

}  // namespace

void end_as_dead_letter(thread_record& here, cell* to, envelope& e, drop_reason why) noexcept {
  if (port::in_interrupt()) {
    count_refused(to, why);
    return discard_lost(here, e);
  }
  if (e.kind == envelope_kind::answer) return program_features().asks->end_late(here, e);
  if (e.kind == envelope_kind::timer)
    return program_features().timers->end_as_dead_letter(here, to, e, why);
  if (e.has(envelope::has_time) && to != nullptr) take_send_time(*to, e);
  end_message(here, to, e, why, acceptance::accepted);
}

void end_refused(thread_record& here, cell* to, envelope& e, drop_reason why) noexcept {
  if (port::in_interrupt()) {
    count_refused(to, why);
    return discard_lost(here, e);
  }
  end_message(here, to, e, why, acceptance::refused);
}

tell_result dead_letter_no_memory(thread_record& here, cell* to, std::uint32_t generation,
                                  const message_operations& operations) noexcept {
  const offer_result refused = refusal_without_memory(to, generation);
  if (port::in_interrupt()) {
    count_refused(to, refused.why);
  } else {
    report_lost(here, to,
                {.why = refused.why,
                 .by_mailbox = acceptance::refused,
                 .operations = operations,
                 .payload = nullptr,
                 .target = index_of(to, generation),
                 .sender = here.sender});
  }
  return refused.result;
}

void report_lost(thread_record& here, cell* to, const lost_message& what) noexcept {
  // relaxed: see system_gate
  report_lost(here, to == nullptr ? nullptr : to->gate.load(relaxed), what);
}

void report_lost(thread_record& here, system_gate* gate, const lost_message& what) noexcept {
  const auto report = [&](system_services& services) noexcept { services.dead_letter(what); };
  // A system that has ended counts nothing more, and the message has a sender.
  if (!tell_services(here, gate, report) && here.services != nullptr) report(*here.services);
}

void report_unhandled(system_services& services, const cell& c, envelope& e) noexcept {
  services.dead_letter(lost(&c, e, payload_of(e), drop_reason::unhandled, acceptance::accepted));
}

std::uint32_t refused_in_interrupts(drop_reason why) noexcept {
  return refused_of_interrupts[std::to_underlying(why)].load(relaxed);  // relaxed: a number
}

}  // namespace tactor::inline v0::internal
