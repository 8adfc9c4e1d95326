// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/sender.hpp"
#include "tactor/core/send/tell_result.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

// How a message ends that no actor handles: its system counts and reports it. `to` is its receiver,
// or null. Messages that interrupts send are only counted. Context: any thread or interrupt, with
// its own thread record.

/// Discards a message that was not handled.
inline void discard_lost(thread_record& here, envelope& e) noexcept {
  e.set_state(is_lost);
  discard_envelope(here, e);
}

/// Reports any message that a mailbox had accepted as a dead letter and disposes of it: the payload
/// is destroyed, a timer's job settled, and an ask that waits for the answer fails.
void end_as_dead_letter(thread_record& here, cell* to, envelope& e, drop_reason why) noexcept;
/// Ends a message of a user likewise that no mailbox accepted.
void end_refused(thread_record& here, cell* to, envelope& e, drop_reason why) noexcept;
/// Reports a message that could not be allocated. Returns: see `refusal_without_memory`.
tell_result dead_letter_no_memory(thread_record& here, cell* to, std::uint32_t generation,
                                  const message_operations& operations) noexcept;

/// Returns: the tenancy that a message was sent to.
[[nodiscard]] inline mailbox_index index_of(const cell* to, std::uint32_t generation) noexcept {
  if (to == nullptr) return {};
  return {.slot = to->slot, .generation = generation};
}
/// Describes a message for its report. `payload`: null if there is none. A message that was sent as
/// a system message is not counted as sent.
[[nodiscard]] inline lost_message lost(const cell* to, const envelope& e, void* payload,
                                       drop_reason why, acceptance by_mailbox) noexcept {
  return {.why = why,
          .by_mailbox = e.kind == envelope_kind::system ? acceptance::refused : by_mailbox,
          .operations = *e.operations,
          .payload = payload,
          .target = index_of(to, e.generation),
          .sender = sender_of(e.from)};
}
/// Tells the receiver's system of a lost message. Context: a thread.
void report_lost(thread_record& here, cell* to, const lost_message& what) noexcept;
/// Tells the system that `gate` leads to of a lost message, or this thread's system if it is null.
/// Context: a thread.
void report_lost(thread_record& here, system_gate* gate, const lost_message& what) noexcept;
/// Tells `services` of a message without a handler, of the actor `c`. Context: the worker that runs
/// the actor.
void report_unhandled(system_services& services, const cell& c, envelope& e) noexcept;

/// Returns: how many messages of interrupts were refused for this reason. Context: any.
[[nodiscard]] std::uint32_t refused_in_interrupts(drop_reason why) noexcept;

}  // namespace tactor::inline v0::internal
