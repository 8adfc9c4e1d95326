// SPDX-License-Identifier: BSL-1.0
// An ask with a message that declares no answer.
// error: this message has no reply: add `using reply = ...;` to it, or use tell
// names: order
#include "tactor/testkit/simulation.hpp"

struct order {
#if defined(CORRECT)
  using reply = int;
#endif
};

void ask(tactor::testkit::simulation& world, tactor::actor_ref<order> shop) {
  (void)world.ask(shop, order{}, std::chrono::seconds{1}).get();
}
