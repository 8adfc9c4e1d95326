// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/block_source.hpp"

namespace tactor::inline v0::testkit {

/// Blocks from the heap; null on a target without one.
[[nodiscard]] block_source* heap_blocks() noexcept;

}  // namespace tactor::inline v0::testkit
