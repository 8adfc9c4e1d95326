// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/timing/timer_instant.hpp"

#include <cstdint>

namespace tactor::inline v0 {

/// Who moves time on, and so who drives timers: the test that owns the clock, or the world.
enum class clock_kind : std::uint8_t { deterministic, realtime };

/// Where the present moment comes from. The core asks once where it needs to know, and keeps no
/// answer across user code. Implementations: `host::steady_clock`, `bare::systick_clock`,
/// `bare::counter_clock`, `testkit::manual_clock`.
class monotonic_clock {
public:
  /// Never goes back, and takes no notice of changes to the wall clock. Context: any thread or
  /// interrupt.
  [[nodiscard]] virtual timer_instant now() const noexcept = 0;
  [[nodiscard]] virtual clock_kind kind() const noexcept = 0;

protected:
  ~monotonic_clock() = default;
};

}  // namespace tactor::inline v0
