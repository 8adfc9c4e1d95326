// SPDX-License-Identifier: BSL-1.0
// A hook with other parameters.
// error: this hook is never called: it must be public, and one of pre_start(context&), post_stop(context&)
// names: shop, pre_start
#include "tactor/core/actor/actor.hpp"

struct order {};
class shop : public tactor::actor<order> {
public:
  void receive(context&, const order&) {}
#if defined(CORRECT)
  void pre_start(context&) {}
#else
  void pre_start() {}
#endif
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
