// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/system/system_config.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/host/start_error.hpp"

#include <expected>

namespace tactor::inline v0::internal {

// What every system on the host needs.

/// Returns: an error if another copy of the library has started a system in this process. Context: any
/// thread.
[[nodiscard]] std::expected<void, start_error> check_copy() noexcept;

/// Provides the memory of actors, and reclaims the caches of threads when they end. Context: any
/// thread, any number of times.
void provide_memory() noexcept;

/// The clock of the settings, or the machine's own, which is never destroyed.
[[nodiscard]] const monotonic_clock& clock_of(const system_config& config) noexcept;

/// Returns: an error if timers of these settings cannot run on that clock. Context: any thread.
[[nodiscard]] std::expected<void, start_error> check_clock(const system_config& config) noexcept;

/// The settings with defaults filled in: a log sink, and a seed if the clock is a real-time clock.
[[nodiscard]] system_config with_defaults(system_config config) noexcept;

/// Ends the program with a message that names the invalid setting.
[[noreturn]] void refuse_to_start(const start_error& why) noexcept;

}  // namespace tactor::inline v0::internal
