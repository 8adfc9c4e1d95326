// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

namespace tactor::inline v0 {

/// Memory for objects too large for the runtime's own pools. A static target has none and refuses
/// them. Context: any thread.
class block_source {
public:
  /// Returns: null if there is no memory.
  [[nodiscard]] virtual void* allocate(std::size_t size, std::size_t alignment) noexcept = 0;
  /// Takes a block back. Requires: it came from `allocate` with the same size and alignment.
  virtual void release(void* block, std::size_t size, std::size_t alignment) noexcept = 0;

protected:
  ~block_source() = default;
};

}  // namespace tactor::inline v0
