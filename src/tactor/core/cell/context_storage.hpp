// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace tactor::inline v0::internal {

class cell;

/// Storage for a cell's context: one word. The header that knows the actor's messages gives it its
/// type.
struct context_storage {
  cell* owner = nullptr;
};

}  // namespace tactor::inline v0::internal
