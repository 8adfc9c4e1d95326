// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <type_traits>

namespace tactor::inline v0::internal {

/// Half a machine word: a number of objects that exist at once, or of one of them. See `free_list`, which has
/// fewer of them than it counts.
using half_word = std::conditional_t<sizeof(void*) == 8, std::uint32_t, std::uint16_t>;

}  // namespace tactor::inline v0::internal
