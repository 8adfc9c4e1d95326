// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/pool_settings.hpp"

#include "tactor/host/os/steady_clock.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

std::uint64_t monotonic_ns() noexcept {
  return host::steady_clock{}.now().ticks;
}

}  // namespace tactor::inline v0::internal
