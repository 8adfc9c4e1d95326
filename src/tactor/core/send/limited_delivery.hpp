// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/send/delivery.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

// Mailboxes with limits: a capacity, pressure, priorities. The core calls these functions through
// the row `limits` of core/features.hpp.

/// Slow path of `offer`: the receiver has limits or is overloaded, or the thread does not count its
/// sends.
[[nodiscard]] offer_result offer_with_care(thread_record& here, cell& to, mailbox_limits limits,
                                           envelope& e) noexcept;
/// The mailbox was full: a thread outside may wait for capacity, the message of an actor in its
/// outbox.
[[nodiscard]] offer_result wait_or_hold_back(thread_record& here, cell& to, envelope& e) noexcept;
/// The message of an interrupt for a mailbox with limits.
[[nodiscard]] offer_result offer_limited_in_interrupt(cell& to, mailbox_limits limits,
                                                      envelope& e) noexcept;

/// A user message has left the mailbox, and `waiting` are left: a next crossing reports pressure
/// again if it is over.
inline void note_emptied(cell& c, std::uint32_t waiting) noexcept {
  const pressure_word now{c.pressure.load(relaxed)};  // relaxed: a sender clears one bit
  if (now.is_over(waiting))
    c.pressure.fetch_or(pressure_word::armed_bit, relaxed);  // relaxed: a hint
}

/// Releases the permit of a message that has left the mailbox. Requires: it holds one.
void release_held_permit(cell& c, envelope& e) noexcept;
/// Like `release_held_permit`, in a turn of the cell: actors that wait may be served later in the
/// turn, or at its end; at once on a thread whose handlers may block.
void release_in_turn(thread_record& here, cell& c, envelope& e) noexcept;
/// Serves those that wait for permits. Context: the end of a turn that keeps some.
void settle_permits(thread_record& here) noexcept;
/// Refuses whoever waits for capacity. Requires: the mailbox is closed.
void refuse_producers(cell& c) noexcept;

/// Gives a new cell what the limits of its mailbox need. Returns: false if there is no memory.
[[nodiscard]] bool give_limits(cell& to, const mailbox_options& mail,
                               std::uint32_t push_timeout_ms) noexcept;
/// Takes it back. Requires: no message is left in its side queue.
void end_limits(cell& c) noexcept;

}  // namespace tactor::inline v0::internal
