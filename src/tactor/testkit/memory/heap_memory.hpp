// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace tactor::inline v0::testkit {

/// Provides heap memory for actors, unless other memory was provided before. Context: any thread.
void provide_heap_memory() noexcept;

}  // namespace tactor::inline v0::testkit
