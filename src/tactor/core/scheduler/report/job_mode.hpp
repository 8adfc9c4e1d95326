// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0 {

/// The kind of a job.
enum class job_mode : std::uint8_t { once, fixed_rate, fixed_delay };

}  // namespace tactor::inline v0
