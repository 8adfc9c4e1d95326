// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

namespace tactor::inline v0::internal {

/// Half a machine word: a number of objects that exist at once, or of one of them. See `free_list`,
/// which has fewer of them than it counts.
using half_word = port::half_word;

}  // namespace tactor::inline v0::internal
