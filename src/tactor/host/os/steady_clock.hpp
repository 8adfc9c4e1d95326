// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/timing/monotonic_clock.hpp"

#include <cstdint>

namespace tactor::inline v0::host {

/// The operating system's monotonic clock, in nanoseconds. Changes of the wall clock do not affect
/// it.
class steady_clock final : public monotonic_clock {
public:
  [[nodiscard]] timer_instant now() const noexcept override;
  /// Reads the processor's counter, once `find_clock_counter` has found it: see `counter_stamp`.
  /// Context: any thread, not a signal handler.
  [[nodiscard]] timer_instant stamp() const noexcept override;
  [[nodiscard]] clock_kind kind() const noexcept override { return clock_kind::realtime; }
};

}  // namespace tactor::inline v0::host

namespace tactor::inline v0::internal {

/// Returns a reading of that clock, on which `wait_on_word` has its timeout. Context: any thread.
[[nodiscard]] inline std::uint64_t monotonic_ns() noexcept {
  return host::steady_clock{}.now().ticks;
}

/// Asks the operating system, once per program, whether it computes its clock from the counter of
/// the processor. Opens a file, so it is called by a thread that no other thread waits for.
/// Context: any thread.
void find_clock_counter() noexcept;

}  // namespace tactor::inline v0::internal
