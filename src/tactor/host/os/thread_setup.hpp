// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>

namespace tactor::inline v0::internal {

/// Makes the calling thread one of the runtime's: it gets a name, `tactor-ROLE` (the system keeps 15
/// letters of it), and takes no signals: they are for the threads of the program, which may have
/// something to say about them.
void set_up_thread(std::string_view role) noexcept;
/// The same for one of several: `tactor-ROLE-3`.
void set_up_thread(std::string_view role, std::uint32_t number) noexcept;

/// From now on the calling thread runs on this processor alone. Returns: false if it cannot.
bool stay_on_processor(std::uint32_t processor) noexcept;

}  // namespace tactor::inline v0::internal
