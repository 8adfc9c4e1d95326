// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/timing/timing_config.hpp"

namespace tactor::inline v0 {

/// Why a system cannot start: which setting, its value, and what is allowed.
using start_error = config_error;

}  // namespace tactor::inline v0
