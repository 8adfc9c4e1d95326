// SPDX-License-Identifier: BSL-1.0
// A timer whose factory makes a message that the actor does not take.
// error: this actor does not take that message: it is not among the Ms... of its actor_ref<Ms...>
// names: order, note
#include "tactor/core/actor/actor.hpp"

struct order {};
struct note {};

void remind(tactor::context& ctx, tactor::actor_ref<order> shop) {
  using std::chrono::seconds;
#if defined(CORRECT)
  const auto make = [](tactor::execution_batch) { return order{}; };
#else
  const auto make = [](tactor::execution_batch) { return note{}; };
#endif
  (void)ctx.schedule_at_fixed_rate(seconds{1}, seconds{1}, shop, make);
}
