// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/command/run.hpp"

#include <chrono>

namespace command {

/// Runs a small system with two consoles, one for browsers and one for this command, and says where
/// they are. Ends when `around.rest` returns. Returns: the exit status.
int demo(const surroundings& around, std::chrono::seconds length);

}  // namespace command
