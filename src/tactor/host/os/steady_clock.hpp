// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/core/timing/timer_instant.hpp"

#include <cstdint>

namespace tactor::inline v0::host {

/// The operating system's monotonic clock, in nanoseconds. Changes of the wall clock do not affect it.
class steady_clock final : public monotonic_clock {
public:
  [[nodiscard]] timer_instant now() const noexcept override;
  [[nodiscard]] clock_kind kind() const noexcept override { return clock_kind::realtime; }
};

}  // namespace tactor::inline v0::host

namespace tactor::inline v0::internal {

/// The reading of that clock, on which `futex_wait` has its timeout. Context: any thread.
[[nodiscard]] inline std::uint64_t monotonic_ns() noexcept {
  return host::steady_clock{}.now().ticks;
}

}  // namespace tactor::inline v0::internal
