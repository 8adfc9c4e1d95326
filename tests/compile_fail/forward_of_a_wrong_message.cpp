// SPDX-License-Identifier: BSL-1.0
// A message that is passed on to an actor that does not take it.
// error: this actor does not take that message: it is not among the Ms... of its actor_ref<Ms...>
// names: order, note
#include "tactor/core/actor/actor.hpp"

struct order {};
struct note {};

void pass_on(tactor::context& ctx, tactor::actor_ref<order> shop) {
#if defined(CORRECT)
  (void)ctx.forward(shop, order{});
#else
  (void)ctx.forward(shop, note{});
#endif
}
