// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

namespace tactor::inline v0 {

/// Where text goes: a file, a socket, a serial line, a buffer. Context: whoever writes.
class text_sink {
public:
  /// Takes the next piece, which need not be a whole line and ends with the call.
  virtual void write(std::string_view piece) noexcept = 0;

protected:
  ~text_sink() = default;
};

}  // namespace tactor::inline v0
