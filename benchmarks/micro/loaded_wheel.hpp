// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/tick.hpp"
#include "tactor/core/timing/timer_wheel.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

namespace tactor::benchmarks {

using namespace tactor::internal;

/// A wheel of the default size with its storage and many timers, which are accessed in an order
/// that is independent of their addresses.
class loaded_wheel {
public:
  static constexpr std::size_t slots = 512;

  explicit loaded_wheel(std::size_t timers, std::size_t overflow = 0)
      : slots_(slots),
        occupied_((slots + word_bits - 1) / word_bits),
        overflow_(overflow),
        entries_(timers + 1),
        wheel({.slots = slots_, .occupied = occupied_, .overflow = overflow_}, tick{}, {}) {
    for (std::size_t n = 1; n < entries_.size(); ++n)  // the first is below the others
      shuffled.push_back(&entries_[n]);
    std::ranges::shuffle(shuffled, random);
  }

  /// Schedules the timer; ends the program if the wheel refuses, because that would measure
  /// something else.
  void insert(timer_entry& timer, tick deadline) {
    if (!wheel.insert(timer, deadline)) std::abort();
  }

  /// A number of deadlines, between `first` and `last` ticks ahead.
  std::vector<tick> deadlines(std::size_t count, std::uint64_t first, std::uint64_t last) {
    std::uniform_int_distribution<std::uint64_t> ahead{first, last};
    std::vector<tick> chosen(count);
    for (tick& each : chosen)
      each = later_by(wheel.position(), ahead(random));
    return chosen;
  }

private:
  static constexpr std::size_t word_bits = std::numeric_limits<std::size_t>::digits;

  std::vector<timer_slot> slots_;
  std::vector<std::size_t> occupied_;
  std::vector<overflow_item> overflow_;
  std::vector<timer_entry> entries_;

public:
  timer_wheel wheel;
  std::mt19937_64 random{1};
  std::vector<timer_entry*> shuffled;  // all timers
};

}  // namespace tactor::benchmarks
