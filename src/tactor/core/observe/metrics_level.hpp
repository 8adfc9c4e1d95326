// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0 {

/// The levels of measuring. Each level includes the levels before it.
enum class metrics_level : std::uint8_t {
  off,     // nothing
  system,  // sums over all actors, per worker
  actor,   // per actor, too
  trace,   // the same, and traces where a component makes them
};

/// The level as written: "actor".
[[nodiscard]] constexpr const char* to_text(metrics_level level) noexcept {
  switch (level) {
  case metrics_level::off:
    return "off";
  case metrics_level::system:
    return "system";
  case metrics_level::actor:
    return "actor";
  case metrics_level::trace:
    return "trace";
  }
  return "unknown";
}

/// True if something of level `wanted` is measured at `chosen`.
[[nodiscard]] constexpr bool is_measured(metrics_level wanted, metrics_level chosen) noexcept {
  return chosen != metrics_level::off && wanted <= chosen;
}

}  // namespace tactor::inline v0
