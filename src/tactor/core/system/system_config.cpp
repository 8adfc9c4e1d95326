// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/system/system_config.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tactor::inline v0 {

std::expected<void, config_error> check(const system_config& config) noexcept {
  if (config.max_actors == 0) {
    return std::unexpected{
        config_error{.setting = "max_actors", .value = 0, .allowed = "at least 1"}};
  }
  if (config.dispatch.throughput == 0) {
    return std::unexpected{
        config_error{.setting = "dispatch.throughput", .value = 0, .allowed = "at least 1"}};
  }
  if (config.dispatch.sends == 0) {
    return std::unexpected{
        config_error{.setting = "dispatch.sends", .value = 0, .allowed = "at least 1"}};
  }
  if (const auto& deadline = config.dispatch.throughput_deadline;
      deadline && deadline->nanoseconds() <= 0) {
    return std::unexpected{config_error{.setting = "dispatch.throughput_deadline",
                                        .value = deadline->nanoseconds(),
                                        .allowed = "more than zero, or nothing"}};
  }
  if (const auto& slice = config.dispatch.slice; slice && slice->nanoseconds() <= 0) {
    return std::unexpected{config_error{.setting = "dispatch.slice",
                                        .value = slice->nanoseconds(),
                                        .allowed = "more than zero, or nothing"}};
  }
  if (const auto& limit = config.dispatch.blocked_after; limit && limit->nanoseconds() <= 0) {
    return std::unexpected{config_error{.setting = "dispatch.blocked_after",
                                        .value = limit->nanoseconds(),
                                        .allowed = "more than zero, or nothing"}};
  }
  if (const std::uint64_t interval_ns = config.log.limit.interval_ns;
      interval_ns >= log_limit::longest_interval_ns) {
    return std::unexpected{config_error{.setting = "log.limit.interval_ns",
                                        .value = static_cast<std::int64_t>(std::min<std::uint64_t>(
                                            interval_ns, std::numeric_limits<std::int64_t>::max())),
                                        .allowed = "less than 20 days, or 0 for no limit"}};
  }
  return check(config.scheduler);
}

}  // namespace tactor::inline v0
