// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

/// Numbers actors without names. For a simulation: the slots and generations of a program depend on
/// what ran before.
class actor_numbers {
public:
  [[nodiscard]] virtual std::uint32_t number_of(mailbox_index who) noexcept = 0;

protected:
  ~actor_numbers() = default;
};

}  // namespace tactor::inline v0::internal
