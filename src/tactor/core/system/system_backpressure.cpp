// SPDX-License-Identifier: BSL-1.0
// What a system does for actors that send to full mailboxes.
#include "tactor/core/actor/lifecycle/outbox.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/core/system/system_core.hpp"

#include <array>
#include <cstddef>

namespace tactor::inline v0::internal {

offer_result system_core::hold_back(thread_record& here, cell& from, cell& to,
                                    envelope& e) noexcept {
  return internal::hold_back(*this, here, from, to, e);
}

bool system_core::holds_back(const cell& from, const cell& to,
                             std::uint32_t generation) const noexcept {
  return internal::holds_back(from, to, generation);
}

void system_core::backpressure_circle(const wait_circle& found) noexcept {
  const event_text from = path_for_log(found.actors[0].index());
  event_text others;
  for (std::size_t i = 1; i < found.size && i < wait_circle::most; ++i) {
    if (i > 1) others.append(", ");
    others.append(path_for_log(found.actors[i].index()).view());
  }
  const std::array fields{log_field{"actors", found.size}, log_field{"others", others.view()}};
  warn(log_kind::mailbox,
       "a message was refused because these actors would wait for each other: give one of their "
       "mailboxes more capacity or another strategy, or send with try_tell",
       fields, from.view());
  (void)events_.publish(backpressure_cycle{.actors = found.actors, .size = found.size});
}

}  // namespace tactor::inline v0::internal
