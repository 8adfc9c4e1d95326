// SPDX-License-Identifier: BSL-1.0
// An actor asks with a message that declares no answer.
// error: this message has no reply: add `using reply = ...;` to it, or use tell
// names: order
#include "tactor/testkit/simulation.hpp"

struct order {
#if defined(CORRECT)
  using reply = int;
#endif
};

void ask(tactor::context& ctx, tactor::actor_ref<order> shop) {
  ctx.ask(shop, order{}, std::chrono::seconds{1}, [](auto said) { (void)said; });
}
