// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0 {

/// Whether and how a job repeats.
enum class job_mode : std::uint8_t { once, fixed_rate, fixed_delay };

/// Which timers are evicted when the overflow is full: low before normal.
enum class timer_priority : std::uint8_t { low, normal };

/// The priority of a job in events and dumps: that of its timer, or high for the runtime's own.
enum class job_priority : std::uint8_t { low, normal, high };

}  // namespace tactor::inline v0
