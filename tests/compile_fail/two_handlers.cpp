// SPDX-License-Identifier: BSL-1.0
// One handler takes the message by value and another by reference.
// error: two handlers for this message: keep the one that takes const Message& or the one that takes Message
// names: shop, order
#include "tactor/core/actor/actor.hpp"

struct order {};
class shop : public tactor::actor<order> {
public:
  void receive(context&, const order&) {}
#if !defined(CORRECT)
  void receive(context&, order) {}
#endif
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
