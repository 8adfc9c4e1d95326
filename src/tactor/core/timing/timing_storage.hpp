// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/timing/overflow_queue.hpp"
#include "tactor/core/timing/timer_wheel.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <limits>

namespace tactor::inline v0 {

/// Memory for a timer wheel of static size; all zero, so a static one is in `.bss`.
template <std::size_t Slots, std::size_t Overflow>
  requires(Slots >= 2 && std::has_single_bit(Slots))
class static_timing_storage {
public:
  /// The storage, for the constructor of one wheel. Requires: outlives the wheel.
  [[nodiscard]] constexpr timer_wheel::storage view() noexcept {
    return {.slots = slots_, .occupied = occupied_, .overflow = overflow_};
  }

private:
  static constexpr std::size_t word_bits = std::numeric_limits<std::size_t>::digits;

  std::array<timer_slot, Slots> slots_{};
  std::array<std::size_t, (Slots + word_bits - 1) / word_bits> occupied_{};
  std::array<internal::overflow_item, Overflow> overflow_{};
};

}  // namespace tactor::inline v0
