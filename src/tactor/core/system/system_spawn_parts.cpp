// SPDX-License-Identifier: BSL-1.0
// The parts of a cell that need memory. A board whose actors have none does not link it.
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/delivery/limited_delivery.hpp"
#include "tactor/core/actor/lifecycle/extras/actor_extras.hpp"
#include "tactor/core/actor/runtime/runtime_memory.hpp"
#include "tactor/core/system/system_core.hpp"

namespace tactor::inline v0::internal {

void link_spawn_parts() noexcept {}

/// Returns: false if there is no memory. Requires: there are arguments.
bool system_core::give_arguments(cell& to, const spawn_request& wanted) noexcept {
  to.rare().arguments = new_block(this_thread(), wanted.recipe.arguments);
  if (to.rare().arguments == nullptr) return false;
  wanted.recipe.keep(wanted.arguments, to.rare().arguments);
  return true;
}

/// Of a cell that was never opened.
void system_core::release_parts(cell& c) noexcept {
  thread_record& here = this_thread();
  if (c.rare().name != nullptr) erase_name(c);
  release_arguments(here, c);
  if (c.extended) end_extras(here, c);
  if (c.rare().side_queue.load(relaxed) != nullptr) end_limits(c);  // relaxed: not opened yet
}

}  // namespace tactor::inline v0::internal
