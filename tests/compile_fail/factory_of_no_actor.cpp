// SPDX-License-Identifier: BSL-1.0
// A factory that does not make an actor.
// error: a factory returns an actor, by value
// names: lambda
#include "tactor/core/actor/behaviour.hpp"

struct order {};
class shop : public tactor::actor<order> {
public:
  void receive(context&, const order&) {}
};

void run(tactor::context& ctx) {
#if defined(CORRECT)
  ctx.spawn("shop", [] { return shop{}; });
#else
  ctx.spawn("shop", [] { return 1; });
#endif
}
