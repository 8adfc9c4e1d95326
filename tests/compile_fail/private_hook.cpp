// SPDX-License-Identifier: BSL-1.0
// A hook that is private.
// error: this hook is never called: it must be public, and one of pre_start(context&), post_stop(context&)
// names: shop, post_stop
#include "tactor/core/actor/actor.hpp"

struct order {};
class shop : public tactor::actor<order> {
public:
  void receive(context&, const order&) {}
#if defined(CORRECT)
  void post_stop(context&) {}
#else
private:
  void post_stop(context&) {}
#endif
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
