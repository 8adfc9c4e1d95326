// SPDX-License-Identifier: BSL-1.0
// A coroutine handler takes its message by reference.
// error: a coroutine handler takes its message by value: a reference dangles after the first co_await
// names: shop, order
// at most: 1 errors, 25 lines
#include "tactor/coroutine.hpp"
#include "tactor/testkit/simulation.hpp"

struct order {};

class shop : public tactor::actor<order> {
public:
#if defined(CORRECT)
  tactor::task<void> receive(context& ctx, order) { co_await ctx.yield(); }
#else
  tactor::task<void> receive(context& ctx, const order&) { co_await ctx.yield(); }
#endif
};

void spawn(tactor::testkit::simulation& world) {
  (void)world.spawn<shop>("shop");
}
