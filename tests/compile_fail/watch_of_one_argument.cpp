// SPDX-License-Identifier: BSL-1.0
// Watching without saying who is notified, and how.
// error: name the watching actor, ctx.watch(ref, *this), or the message to be handled when the other actor ends, ctx.watch(ref, gone{})
// names: watch
#include "tactor/core/actor/actor.hpp"

struct order {
  tactor::actor_ref<> who;
};
class shop : public tactor::actor<order> {
public:
  void receive(context& ctx, const order& o) {
#if defined(CORRECT)
    (void)ctx.watch(o.who, *this);
#else
    (void)ctx.watch(o.who);
#endif
  }
  void receive(context&, const tactor::terminated&) {}
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
