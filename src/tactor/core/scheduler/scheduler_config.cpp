// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/scheduler_config.hpp"

#include <expected>

namespace tactor::inline v0 {

std::expected<void, config_error> check(const scheduler_config& config) noexcept {
  if (auto sound = check(config.timing); !sound) return sound;
  if (config.system_quota == 0) {
    return std::unexpected{
        config_error{.setting = "system_quota", .value = 0, .allowed = "at least 1"}};
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
