// SPDX-License-Identifier: BSL-1.0
// An ask with a message that the actor does not take.
// error: this actor does not take that message: it is not among the Ms... of its actor_ref<Ms...>
// names: order, note
#include "tactor/testkit/simulation.hpp"

struct order {
  using reply = int;
};
struct note {
  using reply = int;
};

void ask(tactor::testkit::simulation& world, tactor::actor_ref<order> shop) {
#if defined(CORRECT)
  (void)world.ask(shop, order{}, std::chrono::seconds{1}).get();
#else
  (void)world.ask(shop, note{}, std::chrono::seconds{1}).get();
#endif
}
