// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/envelope.hpp"

#include <array>
#include <cstdint>

namespace tactor::inline v0::internal {

/// A message that knows its number.
struct alignas(envelope_alignment) numbered_message {
  envelope e;
  std::uint32_t number = 0;
};

/// Some messages to one tenancy, numbered from 1.
class numbered_messages {
public:
  explicit numbered_messages(std::uint32_t tenancy = 0) {
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
      items_[i].number = i + 1;
      items_[i].e.generation = tenancy;
    }
  }
  envelope& operator[](std::uint32_t number) { return items_[number - 1].e; }

private:
  std::array<numbered_message, 8> items_{};
};

/// 0 for null.
inline std::uint32_t number_of(const envelope* e) {
  return e == nullptr ? 0 : reinterpret_cast<const numbered_message*>(e)->number;
}

}  // namespace tactor::inline v0::internal
