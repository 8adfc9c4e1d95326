// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/message_operations.hpp"
#include "tactor/port/port.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tactor::inline v0::internal {

/// Tells a receiver how to treat an envelope that it takes out of its mailbox.
enum class envelope_kind : std::uint8_t {
  message,  // a user message: the payload stands behind the header
  timer,    // a user message sent by a timer: the job says whether the payload still exists
  system,   // a system message
  answer,   // to an ask of the receiver; `from` is its reply slot, or empty: it could not be sent
};

/// Names the sender of a message in one word: an actor, a reply slot that waits for the answer, or
/// no sender. A value; keeps nothing alive.
struct origin {
  /// The kind of sender that the word names.
  enum class kind : std::uint8_t { none, actor, reply_slot };

  // In the order of `tenant` and `slot` in a cell: a turn copies both at once.
  std::uint32_t generation = 0;  // 0: no sender
  std::uint32_t slot = 0;        // the two high bits hold the kind

  /// An actor.
  [[nodiscard]] static constexpr origin of_actor(std::uint32_t slot,
                                                 std::uint32_t generation) noexcept {
    if constexpr (std::endian::native == std::endian::little) {
      // In one word: it is written before every turn.
      return std::bit_cast<origin>((std::uint64_t{slot} << 32U | generation) |
                                   std::uint64_t{actor_bit} << 32U);
    }
    return {.generation = generation, .slot = slot | actor_bit};
  }
  /// A reply slot.
  [[nodiscard]] static constexpr origin of_reply_slot(std::uint32_t slot,
                                                      std::uint32_t generation) noexcept {
    return {.generation = generation, .slot = slot | reply_slot_bit};
  }
  [[nodiscard]] constexpr kind what() const noexcept {
    if ((slot & actor_bit) != 0) return kind::actor;
    return (slot & reply_slot_bit) != 0 ? kind::reply_slot : kind::none;
  }
  [[nodiscard]] constexpr std::uint32_t index() const noexcept {
    return slot & ~(actor_bit | reply_slot_bit);
  }
  friend constexpr bool operator==(origin, origin) noexcept = default;

private:
  static constexpr std::uint32_t actor_bit = 0x8000'0000;
  static constexpr std::uint32_t reply_slot_bit = 0x4000'0000;
};
static_assert(origin{}.what() == origin::kind::none);
static_assert(origin::of_actor(7, 1).index() == 7);

/// The header of every message: a node of the queue it waits in, and what the runtime must know
/// without knowing the message's type. The payload stands behind it, in the same block.
///
/// Context: its owner: the sender, then the mailbox, then the receiver.
struct envelope {
  port::plain<envelope*> next;                     // in the mailbox, or in a pool
  const message_operations* operations = nullptr;  // of the payload
  std::uint32_t generation = 0;                    // the tenancy of the slot it is addressed to
  envelope_kind kind = envelope_kind::message;
  std::uint8_t detail = 0;      // a state, by kind, and the marks below
  std::uint8_t size_class = 0;  // of the block; see envelope_pool
  std::uint8_t position = 0;    // of the block in its run; see envelope_pool
  origin from;

  /// Marks in `detail`: what stands at the end of the block; see message_trailer.
  static constexpr std::uint8_t has_trace = 0x80;
  static constexpr std::uint8_t has_time = 0x40;
  /// Another mark in `detail`: the obligation to answer was passed on, so that somebody else than
  /// the actor that handles the message may answer.
  static constexpr std::uint8_t is_passed_on = 0x20;

  /// The state: of a user message one of those below, of a system message its kind.
  [[nodiscard]] std::uint8_t state() const noexcept {
    return static_cast<std::uint8_t>(detail & ~marks);
  }
  /// Sets the state; the marks stay.
  void set_state(std::uint8_t to) noexcept {
    detail = static_cast<std::uint8_t>((detail & marks) | to);
  }
  [[nodiscard]] bool has(std::uint8_t mark) const noexcept {
    return port::observes_messages && (detail & mark) != 0;
  }
  [[nodiscard]] bool passed_on() const noexcept { return (detail & is_passed_on) != 0; }

private:
  static constexpr std::uint8_t marks = has_trace | has_time | is_passed_on;
};

// The states of a user message, one at a time: see `envelope::state`. 0: none of them.

/// A message that holds a permit of a bounded mailbox.
inline constexpr std::uint8_t holds_permit = 1;
/// The message being handled, when it was stashed. Its permit was released.
inline constexpr std::uint8_t is_stashed = 2;
/// A message in a stash that is a `stashed_run`.
inline constexpr std::uint8_t is_stashed_run = 3;
/// A message that is discarded, and was not handled.
inline constexpr std::uint8_t is_lost = 4;

/// The distance from the header to the payload. Requires: `alignment` is a power of two, and
/// the block is aligned for it.
[[nodiscard]] constexpr std::size_t payload_offset(std::size_t alignment) noexcept {
  return (sizeof(envelope) + alignment - 1) & ~(alignment - 1);  // no division
}
/// The payload of `e`. Requires: `e` has one.
[[nodiscard]] inline void* payload_of(envelope& e) noexcept {
  return reinterpret_cast<std::byte*>(&e) + payload_offset(e.operations->alignment);
}

/// Alignment of envelopes: the bits below it hold a mailbox's flags.
inline constexpr std::size_t envelope_alignment = 32;

static_assert(!port::has_real_layout || sizeof(envelope) == 2 * sizeof(envelope*) + 16);

/// Envelopes taken out of a mailbox, oldest first. Context: its owner.
class envelope_chain {
public:
  constexpr envelope_chain() noexcept = default;
  constexpr explicit envelope_chain(envelope* oldest) noexcept : oldest_(oldest) {}

  /// Removes and returns the oldest, or returns null.
  [[nodiscard]] envelope* pop() noexcept {
    envelope* const oldest = oldest_;
    if (oldest != nullptr) oldest_ = oldest->next.get();
    return oldest;
  }
  /// The oldest, or null.
  [[nodiscard]] envelope* oldest() const noexcept { return oldest_; }
  [[nodiscard]] bool empty() const noexcept { return oldest_ == nullptr; }
  /// The only one; null if there is none, or more.
  [[nodiscard]] envelope* single() const noexcept {
    return oldest_ != nullptr && oldest_->next.get() == nullptr ? oldest_ : nullptr;
  }

private:
  envelope* oldest_ = nullptr;
};

}  // namespace tactor::inline v0::internal
