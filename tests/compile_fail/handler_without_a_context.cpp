// SPDX-License-Identifier: BSL-1.0
// A handler that takes only the message.
// error: the handler lacks the context: write receive(context&, const Message&)
// names: shop, order
#include "tactor/core/actor/actor.hpp"

struct order {};
class shop : public tactor::actor<order> {
public:
#if defined(CORRECT)
  void receive(context&, const order&) {}
#else
  void receive(const order&) {}
#endif
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
