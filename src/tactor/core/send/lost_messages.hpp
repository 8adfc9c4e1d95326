// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/observe/drop_reason.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

// What a system is told of messages that no actor handles, to count and report them. `to` is the
// receiver, or null. On a board that does neither, these functions do nothing.

/// The tenancy that a message was sent to.
[[nodiscard]] inline mailbox_index index_of(const cell* to, std::uint32_t generation) noexcept {
  if (to == nullptr) return {};
  return {.slot = to->slot, .generation = generation};
}
/// What is said of a message. `payload`: null if there is none.
[[nodiscard]] inline lost_message lost(const cell* to, const envelope& e, void* payload,
                                       drop_reason why) noexcept {
  return {.why = why,
          .operations = *e.operations,
          .payload = payload,
          .target = index_of(to, e.generation),
          .sender = e.from};
}
/// Tells the receiver's system of a lost message.
void report_lost(thread_record& here, cell* to, const lost_message& what) noexcept;
/// Tells the system that `gate` leads to of a lost message, or this thread's system if it is null.
void report_lost(thread_record& here, system_gate* gate, const lost_message& what) noexcept;
/// Tells the receiver's system of `e`, which is lost. Requires: it has a payload.
void report_lost(thread_record& here, cell* to, envelope& e, drop_reason why) noexcept;
/// Tells `services` of a message without a handler, of the actor `c`.
void report_unhandled(system_services& services, const cell& c, envelope& e) noexcept;
/// Tells the receiver's system of a message that could not be allocated. Of an interrupt, it is
/// only counted.
void report_unsent(thread_record& here, cell* to, std::uint32_t generation,
                   const message_operations& operations, drop_reason why) noexcept;

}  // namespace tactor::inline v0::internal
