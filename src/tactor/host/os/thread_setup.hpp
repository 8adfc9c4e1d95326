// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>

namespace tactor::inline v0::internal {

/// Makes the calling thread one of the runtime's: names it `tactor-ROLE` (the system keeps 15
/// characters) and blocks signals, which are left to the program's own threads.
void set_up_thread(std::string_view role) noexcept;
/// Likewise for one thread of several: `tactor-ROLE-3`.
void set_up_thread(std::string_view role, std::uint32_t number) noexcept;

/// Binds the calling thread to one processor. Returns: false if that fails.
bool stay_on_processor(std::uint32_t processor) noexcept;

}  // namespace tactor::inline v0::internal
