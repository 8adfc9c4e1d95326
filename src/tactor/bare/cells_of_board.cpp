// SPDX-License-Identifier: BSL-1.0
#include "tactor/bare/cells_of_board.hpp"

#include "tactor/core/cell/cell_state.hpp"
#include "tactor/core/cell/lifecycle_word.hpp"
#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/message/locked_queue.hpp"
#include "tactor/core/send/runtime_memory.hpp"

#include <cstddef>
#include <cstdint>

namespace tactor::inline v0::bare::internal {

bool has_actor(const cell& c) noexcept {
  const actor_type* const type = c.type.load(relaxed);  // relaxed: one thread
  const bool used = c.generation() % 2 != 0 && type != nullptr;
  return used && !c.guardian && !c.unlisted && c.stage != lifecycle_stage::stopped;
}

std::uint32_t waiting_in(const cell& c) noexcept {
  constexpr std::size_t most = 0xFFFF;
  if (locked_queue* const side_queue = c.own_side_queue()) return side_queue->size();
  return static_cast<std::uint32_t>(c.reader.size(c.box, most));
}

void cells_of_board::show_actors(actor_visitor& to) noexcept {
  for (std::uint32_t slot = 0; slot < program_memory.cells.made(); ++slot) {
    const cell& c = *program_memory.cells.at(slot);
    if (!has_actor(c)) continue;
    const lifecycle_word requests{c.lifecycle.load(relaxed)};  // relaxed: a hint
    const actor_state state = state_of(c, requests.generation());
    actor_view seen{.type = running_type(c).instance.type.name,
                    .state = text_of(state, requests),
                    .who = {.slot = c.slot, .generation = requests.generation()},
                    .waiting = waiting_in(c)};
    if (state == actor_state::suspended) seen.reasons = c.reasons.all();
    of_.write_path(seen.path, c);
    if (!to.visit(seen)) return;
  }
}

}  // namespace tactor::inline v0::bare::internal
