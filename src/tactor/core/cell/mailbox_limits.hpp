// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/mailbox_options.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

/// The limits that a sender has to respect, in one word: capacity, overflow strategy, and
/// whether the receiver is overloaded. All-zero: there are no limits.
struct mailbox_limits {
  std::uint32_t bits = 0;

  /// The limits in `options`. Requires: its capacity is valid.
  [[nodiscard]] static constexpr mailbox_limits of(const mailbox_options& options) noexcept {
    if (options.capacity == mailbox_options::unbounded) {
      // Pressure and priorities need the path of bounded mailboxes, so such a mailbox gets the
      // largest capacity.
      const bool ordinary = options.pressure_at == 0 && options.order == mailbox_order::arrival;
      return {ordinary ? 0 : mailbox_options::most | reject_bits};
    }
    return {options.capacity | static_cast<std::uint32_t>(options.overflow) << strategy_shift};
  }
  [[nodiscard]] constexpr bool nothing() const noexcept { return bits == 0; }
  [[nodiscard]] constexpr bool bounded() const noexcept { return (bits & ~overloaded_bit) != 0; }
  /// The receiver used up a whole turn and had messages left. A hint.
  [[nodiscard]] constexpr bool overloaded() const noexcept { return (bits & overloaded_bit) != 0; }
  [[nodiscard]] constexpr std::uint32_t capacity() const noexcept {
    return bits & mailbox_options::most;
  }
  [[nodiscard]] constexpr overflow_strategy strategy() const noexcept {
    return static_cast<overflow_strategy>((bits & ~overloaded_bit) >> strategy_shift);
  }

  static constexpr std::uint32_t overloaded_bit = 0x8000'0000;

private:
  static constexpr unsigned strategy_shift = 28;
  static constexpr std::uint32_t reject_bits = static_cast<std::uint32_t>(overflow_strategy::reject)
                                               << strategy_shift;
};

/// Says in one word when a mailbox reports pressure: the level, and whether the next message that
/// reaches it reports. All-zero: never.
struct pressure_word {
  std::uint32_t bits = 0;

  [[nodiscard]] static constexpr pressure_word of(const mailbox_options& options) noexcept {
    return {options.pressure_at == 0 ? 0 : options.pressure_at | armed_bit};
  }
  /// Tells whether the message that made it `waiting` may report.
  [[nodiscard]] constexpr bool is_reached(std::uint32_t waiting) const noexcept {
    return (bits & armed_bit) != 0 && waiting >= level();
  }
  /// Tells whether it is to be armed again when `waiting` are left.
  [[nodiscard]] constexpr bool is_over(std::uint32_t waiting) const noexcept {
    return bits != 0 && (bits & armed_bit) == 0 &&
           waiting * std::uint64_t{4} < level() * std::uint64_t{3};
  }

  static constexpr std::uint32_t armed_bit = 0x8000'0000;

private:
  [[nodiscard]] constexpr std::uint32_t level() const noexcept { return bits & ~armed_bit; }
};
static_assert(pressure_word::of({.pressure_at = 4}).is_reached(4));
static_assert(!pressure_word::of({.pressure_at = 4}).is_reached(3));
static_assert(pressure_word{4}.is_over(2) && !pressure_word{4}.is_over(3));

static_assert(static_cast<std::uint32_t>(last_overflow_strategy) < 8, "a strategy has three bits");
static_assert(mailbox_limits::of({}).nothing());
static_assert(!mailbox_limits{mailbox_limits::overloaded_bit}.bounded());
static_assert(mailbox_limits::of({.capacity = 3, .overflow = overflow_strategy::drop_newest})
                  .strategy() == overflow_strategy::drop_newest);

}  // namespace tactor::inline v0::internal
