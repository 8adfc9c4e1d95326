// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/system/actor_view.hpp"
#include "tactor/core/system/system_core.hpp"

#include <cstdint>
#include <span>

namespace tactor::inline v0::bare::internal {

using namespace tactor::internal;

/// Returns true if an actor lives there. Context: the program's thread, as for all of this file.
[[nodiscard]] bool has_actor(const cell& c) noexcept;
/// Returns how many messages wait for it. No worker runs the cell meanwhile: there is one thread.
[[nodiscard]] std::uint32_t waiting_in(const cell& c) noexcept;

/// The actors of a board, with names or without, in the order of their slots.
class cells_of_board final : public actor_source {
public:
  /// Requires: both outlive it.
  explicit cells_of_board(system_core& of) noexcept : of_(of) {}

  void show_actors(actor_visitor& to) noexcept override;

private:
  system_core& of_;
};

}  // namespace tactor::inline v0::bare::internal
