// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/steady_clock.hpp"

#include <chrono>
#include <cstdint>

namespace tactor::inline v0::host {

timer_instant steady_clock::now() const noexcept {
  const auto since_origin = std::chrono::steady_clock::now().time_since_epoch();
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(since_origin).count();
  return {.ticks = static_cast<std::uint64_t>(ns), .resolution_ns = 1};
}

}  // namespace tactor::inline v0::host
