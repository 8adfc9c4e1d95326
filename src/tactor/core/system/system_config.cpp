// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/system/system_config.hpp"

#include "tactor/core/observe/log_limit.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/observe/logger.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/scheduler/scheduler_config.hpp"
#include "tactor/core/timing/timing_config.hpp"

#include <algorithm>
#include <cstdint>
#include <expected>
#include <limits>

namespace tactor::inline v0 {
namespace {

std::unexpected<config_error> refuse(const char* setting, std::int64_t value, const char* allowed) {
  return std::unexpected{config_error{.setting = setting, .value = value, .allowed = allowed}};
}

std::expected<void, config_error> check(const dispatch_config& config) noexcept {
  if (config.throughput == 0) return refuse("dispatch.throughput", 0, "at least 1");
  if (config.sends == 0) return refuse("dispatch.sends", 0, "at least 1");
  if (const auto& deadline = config.throughput_deadline; deadline && deadline->nanoseconds() <= 0) {
    return refuse("dispatch.throughput_deadline", deadline->nanoseconds(),
                  "more than zero, or nothing");
  }
  if (const auto& slice = config.slice; slice && slice->nanoseconds() <= 0)
    return refuse("dispatch.slice", slice->nanoseconds(), "more than zero, or nothing");
  if (const auto& limit = config.blocked_after; limit && limit->nanoseconds() <= 0)
    return refuse("dispatch.blocked_after", limit->nanoseconds(), "more than zero, or nothing");
  return {};
}

std::expected<void, config_error> check(const log_config& config) noexcept {
  if (config.min_level > log_level::error) {
    return refuse("log.min_level", static_cast<std::int64_t>(config.min_level),
                  "an enumerator of log_level");
  }
  const std::uint64_t interval_ns = config.limit.interval_ns;
  if (interval_ns < log_limit::longest_interval_ns) return {};
  constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
  return refuse("log.limit.interval_ns", static_cast<std::int64_t>(std::min(interval_ns, largest)),
                "less than 20 days, or 0 for no limit");
}

}  // namespace

std::expected<void, config_error> check(const system_config& config) noexcept {
  if (config.max_actors == 0) return refuse("max_actors", 0, "at least 1");
  if (config.clock.use > clock_use::test) {
    return refuse("clock.use", static_cast<std::int64_t>(config.clock.use),
                  "an enumerator of clock_use");
  }
  if (config.metrics.level > metrics_level::trace) {
    return refuse("metrics.level", static_cast<std::int64_t>(config.metrics.level),
                  "an enumerator of metrics_level");
  }
  if (auto sound = check(config.dispatch); !sound) return sound;
  if (auto sound = check(config.log); !sound) return sound;
  return check(config.scheduler, internal::scheduler_in_system);
}

}  // namespace tactor::inline v0
