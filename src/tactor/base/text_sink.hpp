// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

namespace tactor::inline v0 {

/// Destination of text: a file, a socket, a serial line, a buffer. Context: the writing thread.
class text_sink {
public:
  /// Takes the next piece, which need not be a whole line and is valid during the call only.
  virtual void write(std::string_view piece) noexcept = 0;

protected:
  ~text_sink() = default;
};

}  // namespace tactor::inline v0
