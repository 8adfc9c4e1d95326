// SPDX-License-Identifier: BSL-1.0
// A continuation that returns a value, which is not used.
// error: a continuation is a lambda like [](context&, std::expected<Message::reply, ask_error>) {...}
// names: order
#include "tactor/testkit/simulation.hpp"

struct order {
  using reply = int;
};

void ask(tactor::context& ctx, tactor::actor_ref<order> shop) {
  ctx.ask<order>(shop, std::chrono::seconds{1}, [](std::expected<int, tactor::ask_error> said) {
#if !defined(CORRECT)
    return said.value_or(0);
#else
    (void)said;
#endif
  });
}
