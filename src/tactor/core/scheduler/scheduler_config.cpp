// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/scheduler_config.hpp"

#include <cstdint>
#include <expected>

namespace tactor::inline v0 {

std::expected<void, config_error> check(const scheduler_config& config,
                                        const scheduler_sections& called) noexcept {
  if (auto sound = check(config.timing, called.timing); !sound) return sound;
  const auto refuse = [&called](const char* setting, std::int64_t value, const char* allowed) {
    return std::unexpected{config_error{setting, value, allowed, called.own}};
  };
  if (config.system_quota == 0) return refuse("system_quota", 0, "at least 1");
  if (config.stall_limit <= duration{})
    return refuse("stall_limit", config.stall_limit.nanoseconds(), "more than 0");
  if (config.drift_budget_percent > 100)
    return refuse("drift_budget_percent", config.drift_budget_percent, "from 0 to 100");
  return {};
}

}  // namespace tactor::inline v0
