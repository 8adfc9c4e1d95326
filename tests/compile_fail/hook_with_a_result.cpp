// SPDX-License-Identifier: BSL-1.0
// A hook that returns something other than whether it failed.
// error: this hook is never called: it must be public, and one of pre_start(context&), post_stop(context&)
// names: shop, post_restart
#include "tactor/core/actor/actor.hpp"

struct order {};
class shop : public tactor::actor<order> {
public:
  void receive(context&, const order&) {}
#if defined(CORRECT)
  std::expected<void, tactor::failure> post_restart(context&, const tactor::failure&) { return {}; }
#else
  bool post_restart(context&, const tactor::failure&) { return true; }
#endif
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
