// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/locked_queue.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/send/send.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

// Mailboxes with limits: a capacity and what happens beyond it, pressure, priorities. The core
// calls these functions through the row `limits` of core/features.hpp. A permit and its states are
// drawn in docs/design/mailbox.md. Context: any thread or interrupt, with its own thread record,
// unless stated otherwise.

/// Offers a message to a mailbox with limits.
[[nodiscard]] offer_result offer_limited(thread_record& here, cell& to, mailbox_limits limits,
                                         envelope& e, when_full then) noexcept;
/// Pushes a message that was given one of the `taken` permits. If the mailbox is closed, the permit
/// is released, and the caller keeps the message.
[[nodiscard]] offer_result push_with_permit(thread_record& here, cell& to, envelope& e,
                                            std::uint32_t taken) noexcept;

/// Returns: the priority of `e` in that queue. Asks the message, outside of the lock.
[[nodiscard]] std::uint8_t priority_in(const locked_queue& side_queue, envelope& e) noexcept;

/// Releases the permit of a user message that has left the mailbox, if it holds one. The envelope
/// says so, because a late message may hold a permit of an earlier tenant with other limits.
inline void release_permit(cell& c, envelope& e) noexcept {
  if (e.state() != holds_permit) return;
  e.set_state(0);
  program_features().limits->release_permits(c, 1);
}
/// Releases permits of messages that have left the mailbox, whose tenancy may have ended.
void release_permits(cell& c, std::uint32_t count) noexcept;
/// Releases the permit of a message that has left the mailbox in a turn of the cell. While only
/// outboxes wait, the turn keeps up to half of the capacity, and releases it at once: an actor that
/// is served then has several messages to send before it waits again. On a thread whose handlers
/// may block, it keeps nothing.
void release_in_turn(thread_record& here, cell& c, envelope& e) noexcept;
/// Refuses whoever waits for capacity. Requires: the mailbox is closed.
void refuse_producers(cell& c) noexcept;
/// Notes that a user message has left the mailbox, and `waiting` are left: a next crossing reports
/// pressure again if it is over.
void rearm_pressure(cell& c, std::uint32_t waiting) noexcept;

/// Gives a new cell what the limits of its mailbox need. Returns: false if there is no memory.
[[nodiscard]] bool give_limits(cell& to, const mailbox_options& mail,
                               std::uint32_t push_timeout_ms) noexcept;
/// Takes it back. Requires: no message is left in its side queue.
void end_limits(cell& c) noexcept;

}  // namespace tactor::inline v0::internal
