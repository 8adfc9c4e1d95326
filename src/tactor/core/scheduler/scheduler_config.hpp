// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/timing/timing_config.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>

namespace tactor::inline v0 {

/// The settings of a scheduler. `check` validates them.
struct scheduler_config {
  timing_config timing = {};
  /// How many timers of users may be live at a time. The runtime's own timers (receive timeouts,
  /// asks of actors, `resume_after`, back-off) do not count.
  std::size_t system_quota = 1'000'000;
  /// More missed runs than this at once raise one `burst_fire`.
  std::uint32_t burst_threshold = 10;
  /// How many tasks `on_close` accepts, at most 2^20.
  std::size_t close_task_limit = 64;
  /// How long the driver may be overdue before other threads report it.
  duration stall_limit = std::chrono::seconds{1};
  /// How late the driver may poll, in percent of the resolution, but no less than 500 us. Later
  /// polls, eight in a row, raise one `drift_exceeded`. With a deterministic clock the budget is 0.
  std::uint32_t drift_budget_percent = 5;
};

/// What a `scheduler_config` and its `timing` are called by the settings that hold them; see
/// `config_error`.
struct scheduler_sections {
  const char* own = "";
  const char* timing = "timing.";
};

/// Returns: the first invalid setting; nothing if all are valid.
[[nodiscard]] std::expected<void, config_error>
check(const scheduler_config& config, const scheduler_sections& called = {}) noexcept;

}  // namespace tactor::inline v0
