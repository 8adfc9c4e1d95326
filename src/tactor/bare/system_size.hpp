// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/actor_name.hpp"
#include "tactor/core/actor/cell.hpp"
#include "tactor/core/actor/home_gate.hpp"
#include "tactor/core/actor/timer_letter.hpp"
#include "tactor/core/mailbox/evicting_queue.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"

#include <array>
#include <cstddef>

namespace tactor::inline v0::bare {

/// How many blocks of each size of the pool.
using block_counts = std::array<std::size_t, envelope_size_classes>;

/// How much there is room for in a `bare::system`. Everything is counted by the linker; what is
/// asked for beyond it at run time is refused with an error value.
///
///     constinit bare::system<{.actors = 3, .envelopes = 16, .timers = 1}> sys;
struct system_size {
  /// Actors that live at a time.
  std::size_t actors = 8;
  /// Messages that are on their way at a time: queued, or being handled.
  std::size_t envelopes = 16;
  /// The size of the largest of these messages, and of those that timers send.
  std::size_t payload = 8;
  /// Timers that are live at a time.
  std::size_t timers = 4;
  /// The length of the longest name of an actor; 0: no actor has one.
  std::size_t name = 0;
  /// The size of the most arguments that an actor is made with; 0: all are made without.
  std::size_t arguments = 0;
  /// The size of the largest actor. Up to `cell::room_size` it costs nothing.
  std::size_t state = 0;
  /// Mailboxes with the rule `overflow::drop_oldest`.
  std::size_t drop_oldest = 0;
  /// Timers at most this many ticks ahead are the cheapest. A power of two.
  std::size_t wheel_slots = 32;
  /// Further blocks by size, 32 bytes and up (64 on a 64-bit machine), for what the other numbers do
  /// not name: a few larger messages, subscriptions to events.
  block_counts further = {};
};

/// The blocks that a system of that size has.
[[nodiscard]] constexpr block_counts blocks_of(const system_size& size) noexcept {
  constexpr std::size_t word = alignof(std::max_align_t) < 8 ? alignof(std::max_align_t) : 8;
  block_counts counts = size.further;
  const auto add = [&counts](std::size_t bytes, std::size_t count) {
    if (bytes > 0) counts[envelope_pool::size_class_for(bytes, word)] += count;
  };
  add(size.payload == 0 ? 1 : size.payload, size.envelopes);
  add(timer_letter::size_with(size.payload), size.timers);
  add(size.name == 0 ? 0 : sizeof(actor_name) + size.name, size.actors);
  add(size.arguments, size.actors);
  add(size.state > cell::room_size ? size.state : 0, size.actors);
  return counts;
}

/// Whether every size asked for is one that the pool has blocks of.
[[nodiscard]] constexpr bool fits_blocks(const system_size& size) noexcept {
  constexpr std::size_t most =
      envelope_pool::block_size(envelope_size_classes - 1) - payload_offset(8);
  return timer_letter::size_with(size.payload) <= most && size.name <= actor_name::longest &&
         size.arguments <= most && size.state <= most;
}

/// The bytes that these blocks take, and what else a system takes of its pages.
[[nodiscard]] constexpr std::size_t page_bytes(const system_size& size) noexcept {
  const block_counts counts = blocks_of(size);
  std::size_t bytes = 0;
  for (unsigned size_class = 0; size_class < envelope_size_classes; ++size_class)
    bytes += envelope_pool::memory_for(size_class, counts[size_class]);
  return bytes + sizeof(home_gate) + size.drop_oldest * sizeof(evicting_queue);
}

/// The slots it takes: one for each actor, and the guardian's.
[[nodiscard]] constexpr std::size_t cells_of(const system_size& size) noexcept {
  return size.actors + 1;
}

}  // namespace tactor::inline v0::bare
