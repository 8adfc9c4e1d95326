// SPDX-License-Identifier: BSL-1.0
// A coroutine handler takes a message with a larger alignment than its frame has.
// error: the frame of a coroutine is not aligned for this message
// names: shop, order
// at most: 1 errors, 25 lines
#include "tactor/coroutine.hpp"
#include "tactor/testkit/simulation.hpp"

#if defined(CORRECT)
struct order {
  int number;
};
#else
struct alignas(64) order {
  int number;
};
#endif

class shop : public tactor::actor<order> {
public:
  tactor::task<void> receive(context& ctx, order) { co_await ctx.yield(); }
};

void spawn(tactor::testkit::simulation& world) {
  (void)world.spawn<shop>("shop");
}
