// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/json_writer.hpp"
#include "tactor/core/system/actor_view.hpp"
#include "tactor/host/snapshot/seen_system.hpp"

#include <cstddef>

namespace tactor::inline v0::internal {

/// Writes the timers of one actor with their keys, its watchers, and whom it watches: at most
/// `most` of each, and null for what cannot be seen now. Throws: std::bad_alloc.
void write_inside(json_writer& to, seen_system& of, const actor_view& who, std::size_t most);

}  // namespace tactor::inline v0::internal
