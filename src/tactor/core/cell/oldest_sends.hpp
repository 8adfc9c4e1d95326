// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace tactor::inline v0::internal {

/// For which actor a message waits, and since when, in one word: both are read and changed
/// together. All-zero: nothing.
struct waiting_send {
  std::uint64_t bits = 0;

  /// The time is kept in units of about a millisecond, and 52 days long.
  static constexpr unsigned unit_shift = 20;
  static constexpr unsigned place_bits = 12;

  [[nodiscard]] static constexpr waiting_send of(mailbox_index who,
                                                 std::uint64_t sent_ns) noexcept {
    return {time_of(sent_ns) | key_of(who)};
  }
  [[nodiscard]] constexpr bool is_for(mailbox_index who) const noexcept {
    return bits != 0 && (bits & key_mask) == key_of(who);
  }
  /// The slot of that actor, if this stands at `place`.
  [[nodiscard]] constexpr std::uint32_t slot(std::size_t place) const noexcept {
    const auto high = static_cast<std::uint32_t>((bits & key_mask) >> generation_bits);
    return high << place_bits | static_cast<std::uint32_t>(place);
  }
  /// How long ago it was sent, at least.
  [[nodiscard]] constexpr std::uint64_t age_ns(std::uint64_t now_ns) const noexcept {
    const auto units = static_cast<std::uint32_t>((time_of(now_ns) - (bits & ~key_mask)) >> 32U);
    if (units == 0 || units > most_units) return 0;
    return std::uint64_t{units - 1} << unit_shift;  // both times may lie anywhere in their units
  }
  /// Whether it was sent before the other, or in the same unit.
  [[nodiscard]] constexpr bool is_not_after(waiting_send other) const noexcept {
    return static_cast<std::uint32_t>((other.bits - bits) >> 32U) <= most_units;
  }
  friend constexpr bool operator==(waiting_send, waiting_send) noexcept = default;

private:
  static constexpr unsigned generation_bits = 15;
  static constexpr std::uint64_t key_mask = 0xFFFF'FFFF;
  static constexpr std::uint32_t most_units =
      0x7FFF'FFFF;  // beyond it, the clock went back a little

  static constexpr std::uint64_t time_of(std::uint64_t ns) noexcept {
    return ns >> unit_shift << 32U;
  }
  static constexpr std::uint64_t key_of(mailbox_index who) noexcept {
    return (who.slot >> place_bits) << generation_bits |
           (who.generation & ((1U << generation_bits) - 1));
  }
};

/// The oldest message of each of some thousand actors whose time is known and that was not handled
/// yet. Only one message of some hundred has a time, so what is found here is at least as old as
/// said, and nothing is found for many actors. It never grows: actors whose slots share a place
/// share it, first come, first served.
///
/// Context: any thread. Every word stands for itself, so nothing is ordered.
template <class Word>
class oldest_sends_in {
public:
  /// A message that is sent now. `is_over(slot, what)`: whether nothing waits for the actor of
  /// another entry any more.
  template <class IsOver>
  void note(mailbox_index who, std::uint64_t sent_ns, IsOver is_over) noexcept {
    port::atomic<Word>& at = place_of(who);
    Word known = at.load(relaxed);  // relaxed: a number
    const waiting_send other{known};
    if (other.is_for(who)) return;  // an older message
    if (known != 0 && !is_over(other.slot(who.slot % places), other)) return;
    (void)at.compare_exchange(known, waiting_send::of(who, sent_ns).bits,
                              relaxed);  // relaxed: a number
  }
  /// A message was handled, or ended otherwise: what was sent with it or before does not wait any
  /// more.
  void forget(mailbox_index who, std::uint64_t sent_ns) noexcept {
    port::atomic<Word>& at = place_of(who);
    Word known = at.load(relaxed);  // relaxed: a number
    const waiting_send older{known};
    if (older.is_for(who) && older.is_not_after(waiting_send::of(who, sent_ns)))
      (void)at.compare_exchange(known, 0, relaxed);  // relaxed: a number
  }
  /// How long the oldest message waits, at least. Nothing: not known.
  [[nodiscard]] std::optional<std::uint64_t> age_ns(mailbox_index who,
                                                    std::uint64_t now_ns) noexcept {
    const waiting_send known{place_of(who).load(relaxed)};  // relaxed: a number
    if (!known.is_for(who)) return std::nullopt;
    return known.age_ns(now_ns);
  }

private:
  static constexpr std::size_t places = std::size_t{1} << waiting_send::place_bits;

  port::atomic<Word>& place_of(mailbox_index who) noexcept { return words_[who.slot % places]; }

  // Written by: senders, workers. Read by: observers. Publishes: nothing.
  std::array<port::atomic<Word>, places> words_;
};

/// Stands in where a word is too small for an entry: no time is known of any message.
struct no_oldest_sends {
  template <class IsOver>
  static void note(mailbox_index /*who*/, std::uint64_t /*sent_ns*/, IsOver /*is_over*/) noexcept {}
  static void forget(mailbox_index /*who*/, std::uint64_t /*sent_ns*/) noexcept {}
  [[nodiscard]] static std::optional<std::uint64_t> age_ns(mailbox_index /*who*/,
                                                           std::uint64_t /*now_ns*/) noexcept {
    return std::nullopt;
  }
};

using oldest_sends = std::conditional_t<sizeof(void*) >= sizeof(std::uint64_t),
                                        oldest_sends_in<std::uint64_t>, no_oldest_sends>;

/// Of all systems of the program. A board measures no times, and does not link it.
extern constinit oldest_sends program_oldest_sends;

}  // namespace tactor::inline v0::internal
