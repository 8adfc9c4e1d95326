// SPDX-License-Identifier: BSL-1.0
// A handler that takes a reference through which it could change the message.
// error: the handler takes its message by a reference that is not const: write const Message&, or Message to change a copy
// names: shop, order
#include "tactor/core/actor/actor.hpp"

struct order {};
class shop : public tactor::actor<order> {
public:
#if defined(CORRECT)
  void receive(context&, const order&) {}
#else
  void receive(context&, order&) {}
#endif
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
