// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_list.hpp"
#include "tactor/base/tick.hpp"

#include <cstdint>

namespace tactor::inline v0 {

namespace internal {
class overflow_queue;
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
  friend class timer_wheel;
  friend class internal::overflow_queue;

  static constexpr std::uint32_t nowhere = 0;
  static constexpr std::uint32_t in_wheel = 1;  // in the slot of its deadline, or in the due list
  static constexpr std::uint32_t in_overflow = 2;  // plus its position there

  tick deadline_;
  std::uint32_t place_ = nowhere;
  std::uint8_t rank_ = 0;
};

static_assert(sizeof(timer_entry) <= 2 * sizeof(void*) + 16);

}  // namespace tactor::inline v0
