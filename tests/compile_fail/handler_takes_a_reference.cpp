// SPDX-License-Identifier: BSL-1.0
// A handler that takes a reference through which it could change the message.
// error: no handler (or two): give the actor a public receive(context&, const Message&) or receive(context&, Message)
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
