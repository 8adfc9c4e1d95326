// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/timing/timing_config.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>

namespace tactor::inline v0 {

/// The settings of a scheduler. `check` validates them.
struct scheduler_config {
  timing_config timing = {};
  /// The largest number of live timers of users, at least 1. The runtime's own timers (receive
  /// timeouts, asks of actors, `resume_after`, back-off) do not count.
  std::size_t system_quota = 1'000'000;
  /// More missed runs than this at once raise one `burst_fire`.
  std::uint32_t burst_threshold = 10;
  /// The number of tasks that `on_close` accepts, at most 2^20.
  std::size_t close_task_limit = 64;
  /// Other threads report a driver that is overdue for longer than this time, which is more than 0.
  duration stall_limit = std::chrono::seconds{1};
  /// The delay with which the driver may poll, in percent of the resolution, 0 to 100. Empty: 5,
  /// but no less than 500 us. Eight later polls in a row raise one `drift_exceeded`. With a
  /// deterministic clock the budget is 0, and one later poll raises it.
  std::optional<std::uint32_t> drift_budget_percent = {};
};

/// The names by which the settings that hold a `scheduler_config` call it and its `timing`; see
/// `config_error`.
struct scheduler_sections {
  const char* own = "";
  const char* timing = "timing.";
};

/// Returns: the first invalid setting; nothing if all are valid.
[[nodiscard]] std::expected<void, config_error>
check(const scheduler_config& config, const scheduler_sections& called = {}) noexcept;

}  // namespace tactor::inline v0
