// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace tactor::inline v0::testkit {

/// Lets actors live in memory from the heap, unless somebody has provided other memory. Context: any
/// thread.
void provide_heap_memory() noexcept;

}  // namespace tactor::inline v0::testkit
