// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/system/system_config.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/host/start_error.hpp"

namespace tactor::inline v0::internal {

// What every system on the host stands on.

/// Says where the memory of actors comes from, and takes back from threads what they have at hand
/// when they end. Context: any thread, any number of times.
void provide_memory() noexcept;

/// The clock of the settings, or the machine's own. It lives for ever.
[[nodiscard]] const monotonic_clock& clock_of(const system_config& config) noexcept;

/// The settings with what they leave open: a log, and a seed where time is the machine's.
[[nodiscard]] system_config completed(system_config config) noexcept;

/// Ends the program with a text that says which setting cannot work.
[[noreturn]] void refuse_to_start(const start_error& why) noexcept;

}  // namespace tactor::inline v0::internal
