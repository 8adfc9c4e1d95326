// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/lifecycle_word.hpp"
#include "tactor/core/message/mailbox_word.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <string_view>

namespace tactor::inline v0::internal {

/// Says what an actor is doing.
enum class actor_state : std::uint8_t { running, suspended, stopping, stopped };

/// Tells what the tenant `tenant` of `c` is doing; an actor that drains is running. Reads only what
/// senders read, too: a hint unless the caller runs the cell. Context: any thread.
[[nodiscard]] inline actor_state state_of(const cell& c, std::uint32_t tenant) noexcept {
  const lifecycle_word requests{c.lifecycle.load(relaxed)};  // relaxed: a hint
  const mailbox_word box = c.box.peek();
  if (requests.generation() != tenant) return actor_state::stopped;
  const bool refuses_for_good = !box.open() && !requests.drain_requested();
  if (requests.stop_requested() || refuses_for_good) return actor_state::stopping;
  return box.suspended() ? actor_state::suspended : actor_state::running;
}

/// The word for it in dumps and snapshots.
[[nodiscard]] inline std::string_view text_of(actor_state state, lifecycle_word requests) noexcept {
  switch (state) {
  case actor_state::running:
    return requests.drain_requested() ? "draining" : "running";
  case actor_state::suspended:
    return "suspended";
  case actor_state::stopping:
    return "stopping";
  case actor_state::stopped:
    break;
  }
  return "stopped";
}

}  // namespace tactor::inline v0::internal
