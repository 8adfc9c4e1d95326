// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/mailbox_limits.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/mailbox/mailbox_options.hpp"
#include "tactor/core/message/envelope.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

// Mailboxes with limits: a capacity, pressure, priorities. A board links them only if its system has any.

/// Slow path of `offer`: the receiver has limits or is overloaded, or the thread does not count its sends.
[[nodiscard]] offer_result offer_with_care(thread_record& here, cell& to, mailbox_limits limits,
                                           envelope& e) noexcept;
/// The mailbox was full: a thread outside may wait for capacity, the message of an actor in its outbox.
[[nodiscard]] offer_result wait_or_hold_back(thread_record& here, cell& to, envelope& e) noexcept;
/// The message of an interrupt for a mailbox with limits.
[[nodiscard]] offer_result offer_limited_in_interrupt(cell& to, mailbox_limits limits,
                                                      envelope& e) noexcept;

/// Gives a new cell what the limits of its mailbox need. Returns: false if there is no memory.
[[nodiscard]] bool give_limits(cell& to, const mailbox_options& mail,
                               std::uint32_t push_timeout_ms) noexcept;
/// Takes it back. Requires: no message is left in its side queue.
void end_limits(cell& c) noexcept;

/// Does nothing: a board links mailboxes with limits only if the program calls this.
void link_limits() noexcept;
/// Likewise, for their turns.
void link_limited_turns() noexcept;

}  // namespace tactor::inline v0::internal
