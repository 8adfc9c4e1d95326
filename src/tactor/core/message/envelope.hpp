// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/message_operations.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>

namespace tactor::inline v0::internal {

/// What an envelope is to the one who takes it out of a mailbox.
enum class envelope_kind : std::uint8_t {
  message,  // of a user: the payload stands behind the header
  timer,    // of a user, by way of a timer: the job says whether there still is a payload
  system,   // of the runtime
  answer,   // to a question of the receiver, which `from` names; nobody: it could not be asked
};

/// Where a message came from, in one word: an actor, a question that waits for its answer, or
/// nobody. A value; keeps nothing alive.
struct origin {
  /// What the word names.
  enum class kind : std::uint8_t { nobody, actor, reply_slot };

  std::uint32_t slot = 0;        // the two high bits say what kind
  std::uint32_t generation = 0;  // 0 for nobody

  /// An actor.
  [[nodiscard]] static constexpr origin of_actor(std::uint32_t slot,
                                                 std::uint32_t generation) noexcept {
    return {.slot = slot | actor_bit, .generation = generation};
  }
  /// A question.
  [[nodiscard]] static constexpr origin of_reply_slot(std::uint32_t slot,
                                                      std::uint32_t generation) noexcept {
    return {.slot = slot | question_bit, .generation = generation};
  }
  [[nodiscard]] constexpr kind what() const noexcept {
    if ((slot & actor_bit) != 0) return kind::actor;
    return (slot & question_bit) != 0 ? kind::reply_slot : kind::nobody;
  }
  [[nodiscard]] constexpr std::uint32_t index() const noexcept {
    return slot & ~(actor_bit | question_bit);
  }
  friend constexpr bool operator==(origin, origin) noexcept = default;

private:
  static constexpr std::uint32_t actor_bit = 0x8000'0000;
  static constexpr std::uint32_t question_bit = 0x4000'0000;
};
static_assert(origin{}.what() == origin::kind::nobody);
static_assert(origin::of_actor(7, 1).index() == 7);

/// The head of every message on its way: a node of the queue it waits in, and what the runtime must
/// know without knowing the message's type. The payload stands behind it, in the same block.
///
/// Context: whoever has it: the sender, then the mailbox, then the receiver.
struct envelope {
  port::cell<envelope*> next;                      // in the mailbox, or in a pool
  const message_operations* operations = nullptr;  // of the payload
  std::uint32_t generation = 0;                    // the tenancy of the slot it is meant for
  envelope_kind kind = envelope_kind::message;
  std::uint8_t detail = 0;      // of a user's message: whether it takes a place in its mailbox
  std::uint8_t size_class = 0;  // whose block it is; see envelope_pool
  origin from;
};

/// Where the payload begins, counted from the head. Requires: the block is aligned for it.
[[nodiscard]] constexpr std::size_t payload_offset(std::size_t alignment) noexcept {
  return (sizeof(envelope) + alignment - 1) / alignment * alignment;
}
/// The payload of `e`. Requires: `e` has one.
[[nodiscard]] inline void* payload_of(envelope& e) noexcept {
  return reinterpret_cast<std::byte*>(&e) + payload_offset(e.operations->alignment);
}

/// Blocks of envelopes begin at multiples of this: the bits below are a mailbox's flags.
inline constexpr std::size_t envelope_alignment = 32;

static_assert(!port::has_real_layout || sizeof(envelope) == (sizeof(void*) == 8 ? 32 : 24));

}  // namespace tactor::inline v0::internal
