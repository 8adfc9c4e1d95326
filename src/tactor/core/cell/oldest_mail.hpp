// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0::internal {

/// Knows since when a message has waited in a mailbox, at least. One message of some hundred
/// carries the time of its sending: the first of these that waits stands here until it is handled.
/// While the actor is suspended its oldest message stays the same, so an observer that finds
/// messages without a time notes when it saw them. All-zero: no time is known.
///
/// Context: any thread. The word stands for itself, so nothing is ordered.
class oldest_mail {
public:
  /// The unit of the times, about a millisecond. They are 26 days long.
  static constexpr unsigned unit_shift = 20;

  /// A message is sent now, and carries that time.
  void note_sent(std::uint64_t now_ns) noexcept { note(bits_of(now_ns)); }
  /// An observer sees that messages wait. Requires: the actor is suspended.
  void note_seen(std::uint64_t now_ns) noexcept { note(bits_of(now_ns) | seen_bit); }
  /// A message with this time was handled, or ended otherwise: what was sent with it or before does
  /// not wait any more.
  void forget(std::uint64_t sent_ns) noexcept {
    std::uint32_t known = word_.load(relaxed);  // relaxed: a number
    if (known != 0 && units_from(known, bits_of(sent_ns)) <= most_units)
      (void)word_.compare_exchange(known, 0, relaxed);  // relaxed: a number
  }
  /// The actor is resumed: what an observer has seen may be handled.
  void forget_seen() noexcept {
    std::uint32_t known = word_.load(relaxed);  // relaxed: a number
    if ((known & seen_bit) != 0)
      (void)word_.compare_exchange(known, 0, relaxed);  // relaxed: a number
  }
  /// Another actor has the mailbox.
  void reset() noexcept { word_.store(0, relaxed); }  // relaxed: a number

  /// Returns: how long the oldest message waits, at least; nothing: that is not known.
  [[nodiscard]] std::optional<std::uint64_t> age_ns(std::uint64_t now_ns) const noexcept {
    const std::uint32_t known = word_.load(relaxed);  // relaxed: a number
    if (known == 0) return std::nullopt;
    const std::uint32_t units = units_from(known, bits_of(now_ns));
    if (units == 0 || units > most_units) return 0;
    return std::uint64_t{units - 1} << unit_shift;  // both times may lie anywhere in their units
  }

private:
  static constexpr std::uint32_t seen_bit = 1;
  static constexpr std::uint32_t most_units = 0x3FFF'FFFF;  // beyond it, the clock went back

  static constexpr std::uint32_t bits_of(std::uint64_t ns) noexcept {
    const std::uint32_t bits = static_cast<std::uint32_t>(ns >> unit_shift) << 1U;
    return bits < 2 ? 2 : bits;
  }
  /// The units from one time to another; if it was before, more than `most_units`.
  static constexpr std::uint32_t units_from(std::uint32_t one, std::uint32_t other) noexcept {
    return ((other & ~seen_bit) - (one & ~seen_bit)) >> 1U;
  }
  void note(std::uint32_t bits) noexcept {
    std::uint32_t known = word_.load(relaxed);                           // relaxed: a number
    if (known == 0) (void)word_.compare_exchange(known, bits, relaxed);  // relaxed: a number
  }

  // Written by: senders, observers, the worker that runs the cell, spawn. Read by: the same.
  // Publishes: nothing. A time in units, and `seen_bit`.
  port::atomic<std::uint32_t> word_;
};

}  // namespace tactor::inline v0::internal
