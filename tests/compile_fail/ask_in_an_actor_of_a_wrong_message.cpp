// SPDX-License-Identifier: BSL-1.0
// An actor asks an actor that does not take the message.
// error: this actor does not take that message: it is not among the Ms... of its actor_ref<Ms...>
// names: order
#include "tactor/testkit/simulation.hpp"

struct order {
  using reply = int;
};
struct other {};

#if defined(CORRECT)
using shop_ref = tactor::actor_ref<other, order>;
#else
using shop_ref = tactor::actor_ref<other>;
#endif

void ask(tactor::context& ctx, shop_ref shop) {
  ctx.ask(shop, order{}, std::chrono::seconds{1}, [](std::expected<int, tactor::ask_error>) {});
}
