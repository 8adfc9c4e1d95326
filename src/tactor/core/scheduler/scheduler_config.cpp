// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/scheduler_config.hpp"

#include "tactor/base/duration.hpp"
#include "tactor/core/timing/timing_config.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>

namespace tactor::inline v0 {
namespace {

// Their memory is taken at the start.
constexpr std::size_t most_close_tasks = std::size_t{1} << 20;

}  // namespace

std::expected<void, config_error> check(const scheduler_config& config,
                                        const scheduler_sections& called) noexcept {
  if (auto sound = check(config.timing, called.timing); !sound) return sound;
  const auto refuse = [&called](const char* setting, std::int64_t value, const char* allowed) {
    return std::unexpected{config_error{
        .setting = setting, .value = value, .allowed = allowed, .section = called.own}};
  };
  if (config.system_quota == 0)
    return refuse("system_quota", 0, "at least 1, and as many timers as the memory holds");
  if (config.close_task_limit > most_close_tasks) {
    constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
    const std::uint64_t limit = config.close_task_limit;
    return refuse("close_task_limit", static_cast<std::int64_t>(limit < largest ? limit : largest),
                  "from 0 to 2^20");
  }
  if (config.stall_limit <= duration{})
    return refuse("stall_limit", config.stall_limit.nanoseconds(), "more than 0");
  if (config.drift_budget_percent.value_or(0) > 100)
    return refuse("drift_budget_percent", *config.drift_budget_percent, "from 0 to 100");
  return {};
}

}  // namespace tactor::inline v0
