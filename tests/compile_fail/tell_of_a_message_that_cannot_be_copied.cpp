// SPDX-License-Identifier: BSL-1.0
// A move-only message that is not moved.
// error: the message cannot be built from these parts (move a message that cannot be copied: tell(std::move(message)))
// names: order
#include "tactor/core/send/actor_ref.hpp"

struct order {
  order() = default;
  order(order&&) noexcept = default;
};

void ask_for_more(tactor::actor_ref<order> shop) {
  order more;
#if defined(CORRECT)
  shop.tell(std::move(more));
#else
  shop.tell(more);
#endif
}
