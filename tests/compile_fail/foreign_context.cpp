// SPDX-License-Identifier: BSL-1.0
// A handler that takes the context of another actor.
// error: receive() takes the context of another actor: write context& or tactor::context&
// names: shop, order
#include "tactor/core/actor/actor.hpp"

struct order {};
struct note {};
class desk : public tactor::actor<note> {};
class shop : public tactor::actor<order> {
public:
#if defined(CORRECT)
  void receive(context&, const order&) {}
#else
  void receive(desk::context&, const order&) {}
#endif
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
