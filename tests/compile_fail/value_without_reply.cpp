// SPDX-License-Identifier: BSL-1.0
// A handler that returns a value for a message without a reply.
// error: receive() returns a value, but the message declares no `using reply = ...;`
// names: shop, order
#include "tactor/core/actor/actor.hpp"

struct order {
#if defined(CORRECT)
  using reply = int;
#endif
};
class shop : public tactor::actor<order> {
public:
  int receive(context&, const order&) { return 1; }
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
