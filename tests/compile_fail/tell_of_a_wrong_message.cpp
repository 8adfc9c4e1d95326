// SPDX-License-Identifier: BSL-1.0
// A message that the actor does not take.
// error: this actor does not take that message: it is not among the Ms... of its actor_ref<Ms...>
// names: order, note
#include "tactor/core/send/actor_ref.hpp"

struct order {};
struct note {};

void ask_for_more(tactor::actor_ref<order> shop) {
#if defined(CORRECT)
  shop.tell(order{});
#else
  shop.tell(note{});
#endif
}
