// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/lifecycle/actor_tasks.hpp"
#include "tactor/core/actor/lifecycle/stash.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"

// The slow path of actors that drain.
namespace tactor::inline v0::internal {

void link_draining() noexcept {}

/// Whether a draining actor cannot end yet. While it is suspended, queued messages keep it alive.
/// While it is suspended by a failure, it also has to be there to resume its children; by backpressure,
/// to send what is in its outboxes. A coroutine is waited for.
bool slow_path::has_to_wait() noexcept {
  if (const actor_tasks* const tasks = tasks_of(cell_); tasks != nullptr && tasks->count != 0)
    return true;
  if (cell_.reasons.empty()) return false;
  if (cell_.reasons.has(suspend_reason::failure)) return true;
  if (cell_.reasons.has(suspend_reason::backpressure)) return true;
  if (next_replayed(cell_) != nullptr) return true;
  return cell_.own_side_queue() == nullptr ? cell_.reader.front(cell_.box) != nullptr
                                           : waits_in_side_queue();
}

}  // namespace tactor::inline v0::internal
