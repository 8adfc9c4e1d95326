// SPDX-License-Identifier: BSL-1.0
// Messages whose place was reserved.
#include "tactor/core/send/delivery.hpp"
#include "tactor/core/send/offer_rules.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

void send_reserved(thread_record& here, cell* to, std::uint32_t generation, envelope& e) noexcept {
  e.generation = generation;
  e.from = here.sender;
  if (to == nullptr) return end_as_dead_letter(here, to, e, drop_reason::no_such_actor);
  if (to->generation() == generation) {
    if (after_pushing(here, to->box.push(e), *to).result == tell_result::ok) return;
    // The actor drains, and queues the message itself; or it ends.
    if (after_pushing(here, to->box.push_system(e), *to).result == tell_result::ok) return;
  }
  end_as_dead_letter(here, to, e, drop_reason::stopped);
}

}  // namespace tactor::inline v0::internal
