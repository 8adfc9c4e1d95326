// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tactor::inline v0::host {

/// Makes the calling thread one of the runtime's: it gets a name ("tactor-" and at most 8 letters, of
/// which the system shows 15 in all), takes no signals, and stays on one processor if it shall.
/// Returns: false if it cannot stay there.
bool set_up_thread(std::string_view role, std::uint32_t number,
                   std::optional<std::uint32_t> processor) noexcept;

}  // namespace tactor::inline v0::host
