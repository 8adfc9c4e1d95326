// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/memory_source.hpp"

namespace tactor::inline v0::testkit {

/// Returns: the source of blocks from the heap. On a target without a heap it refuses every
/// request.
[[nodiscard]] block_source& heap_blocks() noexcept;

}  // namespace tactor::inline v0::testkit
