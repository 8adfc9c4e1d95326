// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <signal.h>

#include <cstdint>
#include <string_view>

namespace tactor::inline v0::internal {

/// Names the calling thread `tactor-ROLE`; the system keeps 15 characters. Its signal mask stays that
/// of the thread that created it.
void set_up_thread(std::string_view role) noexcept;
/// Likewise for one thread of several: `tactor-ROLE-3`.
void set_up_thread(std::string_view role, std::uint32_t number) noexcept;

/// The signal mask of the calling thread.
[[nodiscard]] sigset_t signal_mask() noexcept;
/// Gives the calling thread this signal mask, which programs that it starts inherit.
void set_signal_mask(const sigset_t& mask) noexcept;

/// Binds the calling thread to one processor. Returns: false if that fails.
bool stay_on_processor(std::uint32_t processor) noexcept;

}  // namespace tactor::inline v0::internal
