// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/system/system_config.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/host/timers/scheduler_memory.hpp"

#include <expected>

namespace tactor::inline v0::internal {

/// Checks the settings of a system that starts, and that no other copy of the library has started
/// one in this process. Provides the memory of its actors and timers. Returns: the memory of its
/// timers, or the first invalid setting. Context: any thread. Throws: std::bad_alloc.
[[nodiscard]] std::expected<scheduler_memory, start_error>
prepare_start(const system_config& config);

/// Provides the memory of actors, and reclaims the caches of threads when they end. Context: any
/// thread, any number of times.
void provide_memory() noexcept;

/// Returns: the clock of the settings, or the machine's own, which is never destroyed.
[[nodiscard]] const monotonic_clock& clock_of(const system_config& config) noexcept;

/// Fills in defaults: a log sink, and a seed if the clock is a real-time clock.
[[nodiscard]] system_config with_defaults(system_config config) noexcept;

/// Ends the program with a message that names the invalid setting.
[[noreturn]] void refuse_to_start(const start_error& why) noexcept;

}  // namespace tactor::inline v0::internal
