// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/timing/timing_config.hpp"

#include "tactor/base/duration.hpp"

#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>

namespace tactor::inline v0 {
namespace {

constexpr duration shortest_tick = std::chrono::microseconds{100};
constexpr duration longest_tick = std::chrono::seconds{1};
// More would be a mistake: as many slots take 2 GiB.
constexpr std::size_t most_entries = std::size_t{1} << 28;

constexpr std::int64_t shown(std::size_t value) noexcept {
  constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(value < largest ? value : largest);
}

}  // namespace

std::expected<void, config_error> check(const timing_config& config, const char* section) noexcept {
  const auto refuse = [section](const char* setting, std::int64_t value, const char* allowed) {
    return std::unexpected{
        config_error{.setting = setting, .value = value, .allowed = allowed, .section = section}};
  };
  if (config.resolution < shortest_tick || config.resolution > longest_tick) {
    return refuse("resolution", config.resolution.nanoseconds(),
                  "from 100000 ns (100 us) to 1000000000 ns (1 s)");
  }
  if (config.wheel_slots < 2 || config.wheel_slots > most_entries ||
      !std::has_single_bit(config.wheel_slots)) {
    return refuse("wheel_slots", shown(config.wheel_slots), "a power of two from 2 to 2^28");
  }
  if (config.overflow_capacity > most_entries &&
      config.overflow_capacity != timing_config::as_many_as_timers) {
    return refuse("overflow_capacity", shown(config.overflow_capacity), "from 0 to 2^28");
  }
  if (config.overflow_warning_percent > 100)
    return refuse("overflow_warning_percent", config.overflow_warning_percent, "from 0 to 100");
  return {};
}

std::expected<void, config_error> check(const timing_config& config, const monotonic_clock& clock,
                                        clock_use use, const char* section) noexcept {
  if (auto sound = check(config, section); !sound) return sound;
  if (clock.kind() == clock_kind::deterministic && use == clock_use::production) {
    return std::unexpected{
        config_error{.setting = "clock",
                     .value = static_cast<std::int64_t>(clock.kind()),
                     .allowed = "a realtime clock; a manual clock only in the test kit"}};
  }
  const std::int64_t unit = clock.now().resolution_ns;
  if (unit == 0 || config.resolution.nanoseconds() % unit != 0) {
    return std::unexpected{config_error{.setting = "resolution",
                                        .value = config.resolution.nanoseconds(),
                                        .allowed = "a whole multiple of the clock's own unit",
                                        .section = section}};
  }
  return {};
}

}  // namespace tactor::inline v0
