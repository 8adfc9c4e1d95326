// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>

namespace tactor::inline v0::bare {

/// Counts the interrupts of a periodic timer, such as SysTick. Simple, and the processor wakes once
/// per period; where there is a free-running counter, `counter_clock` lets it sleep.
class systick_clock final : public monotonic_clock {
public:
  constexpr explicit systick_clock(std::uint32_t period_ns) noexcept : period_ns_(period_ns) {}

  /// Context: the timer's interrupt handler only.
  void on_interrupt() noexcept { periods_.add(1); }

  [[nodiscard]] timer_instant now() const noexcept override {
    return {.ticks = periods_.value(), .resolution_ns = period_ns_};
  }
  [[nodiscard]] clock_kind kind() const noexcept override { return clock_kind::realtime; }

private:
  port::counter periods_;
  std::uint32_t period_ns_;
};

}  // namespace tactor::inline v0::bare
