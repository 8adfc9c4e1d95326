// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/timing/overflow_queue.hpp"
#include "tactor/core/timing/timing_config.hpp"
#include "tactor/core/timing/timing_wheel.hpp"

#include <cstddef>
#include <vector>

namespace tactor::inline v0::host {

/// Memory from the heap for a timing wheel whose size is known only at run time.
class timing_room {
public:
  /// Requires: `check(config)` holds.
  explicit timing_room(const timing_config& config);

  /// The room, for the constructor of one wheel. Requires: outlives it.
  [[nodiscard]] timing_wheel::room view() noexcept {
    return {.slots = slots_, .occupied = occupied_, .overflow = overflow_};
  }

private:
  std::vector<timer_slot> slots_;
  std::vector<std::size_t> occupied_;
  std::vector<overflow_item> overflow_;
};

}  // namespace tactor::inline v0::host
