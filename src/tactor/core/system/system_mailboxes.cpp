// SPDX-License-Identifier: BSL-1.0
// What waits in the mailboxes of a system.
#include "tactor/core/actor/cell/actor_name.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/mailbox_limits.hpp"
#include "tactor/core/actor/cell/waiting_producers.hpp"
#include "tactor/core/system/system_core.hpp"

#include <cstddef>

namespace tactor::inline v0::internal {

void system_core::visit_mailboxes(mailbox_visitor& to) noexcept {
  const auto visit = [&](const actor_name& name) {
    cell& c = *name.owner;
    const mailbox_limits allowed{c.limits.load(relaxed)};  // relaxed: a hint
    if (!allowed.bounded()) return;
    locked_queue* const side_queue = c.own_side_queue();
    to.visit(path_of(name).view(),
             side_queue != nullptr ? side_queue->size()
                                   : c.waiting.load(relaxed) & ~awaited_bit);  // relaxed: a number
  };
  for (std::size_t part = 0; names_.names_of_part(part, visit); ++part) {
  }
}

}  // namespace tactor::inline v0::internal
