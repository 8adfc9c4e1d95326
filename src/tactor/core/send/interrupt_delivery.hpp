// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/send/delivery.hpp"
#include "tactor/core/send/tell_result.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

// How a message gets from an interrupt into a mailbox. An interrupt has no record of its own,
// reports nothing and waits for nothing; what it shares with the thread is atomic, or changed with
// interrupts masked. Context: an interrupt of a board.

/// See `offer`.
[[nodiscard]] offer_result offer_from_interrupt(cell* to, std::uint32_t generation,
                                                envelope& e) noexcept;
/// `send`, from an interrupt or the thread, of an envelope that has only its `operations` and its
/// payload. A refused message of an interrupt is only counted.
tell_result send_on_board(cell* to, std::uint32_t generation, envelope& e) noexcept;
/// Counts a refused message, if it has a receiver.
void count_refused(const cell* to, drop_reason why) noexcept;
/// How many were counted, for one reason. Context: any.
[[nodiscard]] std::uint32_t refused_in_interrupts(drop_reason why) noexcept;

}  // namespace tactor::inline v0::internal
