// SPDX-License-Identifier: BSL-1.0
// A board's actor has a coroutine handler, which the size of its system leaves out.
// error: a handler of this actor is a coroutine, which the size of the system leaves out: bare::system<{.coroutines = true}>
// names: shop
// at most: 1 errors, 25 lines
#include "tactor/bare.hpp"
#include "tactor/coroutine.hpp"

struct order {};

class shop : public tactor::actor<order> {
public:
  tactor::task<void> receive(context& ctx, order) { co_await ctx.yield(); }
};

#if defined(CORRECT)
constinit tactor::bare::system<{.actors = 1, .receive_timeouts = 1, .coroutines = true}> board;
#else
constinit tactor::bare::system<{.actors = 1, .receive_timeouts = 1}> board;
#endif

void spawn() {
  (void)board.try_spawn<shop>("");
}
