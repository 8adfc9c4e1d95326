// SPDX-License-Identifier: BSL-1.0
// A hook with one parameter less.
// error: this hook is never called: it must be public, and one of pre_start(context&), post_stop(context&)
// names: shop, pre_restart
#include "tactor/core/actor/actor.hpp"

struct order {};
class shop : public tactor::actor<order> {
public:
  void receive(context&, const order&) {}
#if defined(CORRECT)
  void pre_restart(context&, const tactor::failure&) {}
#else
  void pre_restart(context&) {}
#endif
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
