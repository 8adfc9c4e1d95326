// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace tactor::inline v0::internal {

class cell;

/// Where a cell keeps its context: one word, which the header that knows the actor's messages gives
/// its type.
struct context_storage {
  cell* owner = nullptr;
};

}  // namespace tactor::inline v0::internal
