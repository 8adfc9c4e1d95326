// SPDX-License-Identifier: BSL-1.0
// A timer for a message that the actor does not take.
// error: this actor does not take that message: it is not among the Ms... of its actor_ref<Ms...>
// names: order, note
#include "tactor/core/actor/actor.hpp"

struct order {};
struct note {};

void remind(tactor::context& ctx, tactor::actor_ref<order> shop) {
#if defined(CORRECT)
  (void)ctx.schedule_once(std::chrono::seconds{1}, shop, order{});
#else
  (void)ctx.schedule_once(std::chrono::seconds{1}, shop, note{});
#endif
}
