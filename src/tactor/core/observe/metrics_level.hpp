// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0 {

/// How much is measured. Each level includes the levels before it.
enum class metrics_level : std::uint8_t {
  off,     // nothing
  system,  // sums over all actors, per worker
  actor,   // per actor, too
  trace,   // the same, and traces where a component makes them
};

/// True if something of level `wanted` is measured at `chosen`.
[[nodiscard]] constexpr bool is_measured(metrics_level wanted, metrics_level chosen) noexcept {
  return chosen != metrics_level::off && wanted <= chosen;
}

}  // namespace tactor::inline v0
