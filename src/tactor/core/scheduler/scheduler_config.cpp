// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/scheduler_config.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>

namespace tactor::inline v0 {
namespace {

// Their memory is taken at the start.
constexpr std::size_t most_close_tasks = std::size_t{1} << 20;

}  // namespace

std::expected<void, config_error> check(const scheduler_config& config) noexcept {
  if (auto sound = check(config.timing); !sound) return sound;
  if (config.system_quota == 0) {
    return std::unexpected{
        config_error{.setting = "system_quota", .value = 0, .allowed = "at least 1"}};
  }
  if (config.close_task_limit > most_close_tasks) {
    constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
    const std::uint64_t limit = config.close_task_limit;
    return std::unexpected{
        config_error{.setting = "close_task_limit",
                     .value = static_cast<std::int64_t>(limit < largest ? limit : largest),
                     .allowed = "from 0 to 2^20"}};
  }
  if (config.stall_limit <= duration{}) {
    return std::unexpected{config_error{.setting = "stall_limit",
                                        .value = config.stall_limit.nanoseconds(),
                                        .allowed = "more than 0"}};
  }
  if (config.drift_budget_percent > 100) {
    return std::unexpected{config_error{.setting = "drift_budget_percent",
                                        .value = config.drift_budget_percent,
                                        .allowed = "from 0 to 100"}};
  }
  return {};
}

}  // namespace tactor::inline v0
