// SPDX-License-Identifier: BSL-1.0
// A handler that is a template.
// error: receive() takes this message only by conversion or as a template: write receive(context&, const Message&) or receive(context&, Message)
// names: shop, order
#include "tactor/core/actor/actor.hpp"

struct order {};
class shop : public tactor::actor<order> {
public:
#if defined(CORRECT)
  void receive(context&, const order&) {}
#else
  template <class Message>
  void receive(context&, const Message&) {}
#endif
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
