// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <span>

namespace tactor::inline v0::bare {

/// Destination of bytes: a UART, semihosting, a buffer that a debugger reads. Context: the
/// program's thread.
class byte_sink {
public:
  /// Takes as many of the bytes, from the first on, as it can without waiting. Returns: how many.
  virtual std::size_t write(std::span<const std::byte> bytes) noexcept = 0;

protected:
  ~byte_sink() = default;
};

}  // namespace tactor::inline v0::bare
