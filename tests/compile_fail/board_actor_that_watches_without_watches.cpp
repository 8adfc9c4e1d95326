// SPDX-License-Identifier: BSL-1.0
// A board's actor handles terminations, but the size of its system has no watches.
// error: this actor handles `terminated`, but the size of the system has no watches: bare::system<{.watches = 1}>
// names: shop
// at most: 1 errors, 25 lines
#include "tactor/bare.hpp"

struct order {};

class shop : public tactor::actor<order> {
public:
  void receive(context&, order) {}
  void receive(context&, const tactor::terminated&) {}
};

#if defined(CORRECT)
constinit tactor::bare::system<{.actors = 1, .watches = 1}> board;
#else
constinit tactor::bare::system<{.actors = 1}> board;
#endif

void spawn() {
  (void)board.try_spawn<shop>("");
}
