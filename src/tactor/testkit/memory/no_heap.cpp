// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/memory/heap_blocks.hpp"

namespace tactor::inline v0::testkit {

block_source* heap_blocks() noexcept {
  return nullptr;
}

}  // namespace tactor::inline v0::testkit
