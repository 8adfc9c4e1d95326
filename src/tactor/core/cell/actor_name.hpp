// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactor::inline v0::internal {

class cell;

/// The name of an actor, for people and for `find`; a node of its system's table of names.
struct actor_name {
  static constexpr std::size_t longest = 255;

  actor_name* next = nullptr;  // in the table
  const cell* parent = nullptr;
  cell* owner = nullptr;
  std::uint32_t hash = 0;
  std::uint8_t length = 0;

  /// The text stands behind the object, in the same block.
  [[nodiscard]] std::string_view text() const noexcept {
    return {reinterpret_cast<const char*>(this + 1), length};
  }
};

}  // namespace tactor::inline v0::internal
