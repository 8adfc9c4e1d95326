// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0 {

/// Which timers are evicted when the overflow is full: low before normal. High is for the runtime.
enum class timer_priority : std::uint8_t { low, normal, high };

}  // namespace tactor::inline v0
