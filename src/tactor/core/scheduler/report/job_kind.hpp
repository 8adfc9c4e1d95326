// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0 {

/// Says if and how a job repeats.
enum class job_mode : std::uint8_t { once, fixed_rate, fixed_delay };

/// The mode in dumps and snapshots.
[[nodiscard]] constexpr const char* to_text(job_mode mode) noexcept {
  switch (mode) {
  case job_mode::fixed_rate:
    return "fixed_rate";
  case job_mode::fixed_delay:
    return "fixed_delay";
  case job_mode::once:
    break;
  }
  return "once";
}

/// Says which timers are evicted when the overflow is full: low before normal.
enum class timer_priority : std::uint8_t { low, normal };

/// The priority of a job in events and dumps: that of its timer, or high for the runtime's own.
enum class job_priority : std::uint8_t { low, normal, high };

/// Says how a fixed-rate job treats runs that could not be executed in time.
enum class missed : std::uint8_t {
  fold,   // one execution for all of them, with their number
  burst,  // all of them, one after the other
  skip,   // one execution, then back on the grid
};

/// Says what becomes of a timer that is still waiting when the scheduler shuts down.
enum class on_shutdown : std::uint8_t { cancel, run };

/// Says how many runs one execution represents.
struct execution_batch {
  std::uint64_t runs = 1;
  job_mode mode = job_mode::once;

  /// Runs without an execution of their own.
  [[nodiscard]] constexpr std::uint64_t missed() const noexcept { return runs - 1; }
  friend constexpr bool operator==(execution_batch, execution_batch) noexcept = default;
};

}  // namespace tactor::inline v0
