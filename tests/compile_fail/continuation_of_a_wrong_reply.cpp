// SPDX-License-Identifier: BSL-1.0
// A continuation with another reply type than the message has.
// error: a continuation is a lambda like [](context&, std::expected<Message::reply, ask_error>) {...}
// names: order
#include "tactor/testkit/simulation.hpp"

#include <string>

struct order {
  using reply = int;
};

#if defined(CORRECT)
using answer = int;
#else
using answer = std::string;
#endif

void ask(tactor::context& ctx, tactor::actor_ref<order> shop) {
  ctx.ask(shop, order{}, std::chrono::seconds{1},
          [](tactor::context&, std::expected<answer, tactor::ask_error>) {});
}
