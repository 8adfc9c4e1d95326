// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/core/timing/timing_config.hpp"

#include <cstdint>
#include <expected>

namespace tactor::inline v0 {

/// The purpose of a clock. Only the test kit uses `test`.
enum class clock_use : std::uint8_t { production, test };

/// Returns: why timers of `config` cannot run on `clock`; nothing if they can. A production system
/// on a clock that only a test advances would hang silently, so that is refused. `section`: of
/// `config`, as in `config_error`.
[[nodiscard]] inline std::expected<void, config_error> check(const timing_config& config,
                                                             const monotonic_clock& clock,
                                                             clock_use use,
                                                             const char* section = "") noexcept {
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
