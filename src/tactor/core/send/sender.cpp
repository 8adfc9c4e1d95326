// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/sender.hpp"

#include "tactor/core/cell/ask_slot.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/send/runtime_memory.hpp"

namespace tactor::inline v0::internal {

origin asker_of(origin reply_slot) noexcept {
  const ask_slot& slot = program_memory.asks[reply_slot.index()];
  const mailbox_index asker = slot.asker_of(reply_slot.generation);
  return asker.generation == 0 ? origin{} : origin::of_actor(asker.slot, asker.generation);
}

bool is_ended_ask(origin from) noexcept {
  return from.what() == origin::kind::reply_slot &&
         !program_memory.asks[from.index()].peek().is_open_for(from.generation);
}

actor_ref<> sending_actor(origin from) noexcept {
  const origin actor = sender_of(from);
  if (actor.what() != origin::kind::actor) return {};
  return {program_memory.cells.at(actor.index()), actor.generation};
}

}  // namespace tactor::inline v0::internal
