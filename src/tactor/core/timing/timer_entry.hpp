// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/half_word.hpp"
#include "tactor/base/intrusive_list.hpp"
#include "tactor/base/tick.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tactor::inline v0 {

namespace internal {
class overflow_queue;

/// A tick in two words, for a machine whose words are so narrow: it has no padding.
class tick_in_words {
public:
  constexpr tick_in_words() noexcept = default;
  constexpr tick_in_words(tick of) noexcept  // implicit: it is one
      : low_(static_cast<std::uint32_t>(of.count)),
        high_(static_cast<std::uint32_t>(of.count >> 32U)) {}
  constexpr operator tick() const noexcept {  // implicit: likewise
    return {std::uint64_t{high_} << 32U | low_};
  }

private:
  std::uint32_t low_ = 0;
  std::uint32_t high_ = 0;
};
/// A tick that is kept in many objects.
using kept_tick = std::conditional_t<sizeof(void*) == 8, tick, tick_in_words>;
}  // namespace internal

/// One timer in a timer wheel; derive from it or hold it as a member. All-zero is the valid state
/// of an entry that is not scheduled. Context: owner of the wheel only.
class timer_entry : public internal::intrusive_list_node<timer_entry> {
public:
  /// Whether it is in a wheel.
  [[nodiscard]] constexpr bool scheduled() const noexcept { return place_ != nowhere; }
  /// The current or last deadline, or the value given to `set_deadline`.
  [[nodiscard]] constexpr tick deadline() const noexcept { return deadline_; }
  /// Stores a deadline for a later insert. Requires: not scheduled.
  constexpr void set_deadline(tick deadline) noexcept { deadline_ = deadline; }

  /// The order of eviction from a full overflow: 0 before 1 before 2 before 3. Requires: not
  /// scheduled.
  constexpr void set_rank(std::uint8_t rank) noexcept { rank_ = rank; }
  [[nodiscard]] constexpr std::uint8_t rank() const noexcept { return rank_; }

private:
  using place = internal::half_word;
  static constexpr place nowhere = 0;
  static constexpr place in_wheel = 1;     // in the slot of its deadline, or in the due list
  static constexpr place in_overflow = 2;  // plus its position there

public:
  /// The largest overflow of a wheel.
  static constexpr std::size_t most_far = std::numeric_limits<place>::max() - in_overflow;

private:
  friend class timer_wheel;
  friend class internal::overflow_queue;

  internal::kept_tick deadline_;
  place place_ = nowhere;
  std::uint8_t rank_ = 0;
};

static_assert(sizeof(timer_entry) <= (sizeof(void*) == 8 ? 32 : 20));

}  // namespace tactor::inline v0
