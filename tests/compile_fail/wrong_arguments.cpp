// SPDX-License-Identifier: BSL-1.0
// Arguments that the constructor of the actor does not take.
// error: the actor cannot be built from these arguments (they are kept for restarts: passed as const&); a factory takes what cannot be copied: spawn(name, [] { return Actor{...}; })
// names: shop
#include "tactor/core/actor/actor.hpp"

struct order {};
class shop : public tactor::actor<order> {
public:
  explicit shop(int size) : size_(size) {}
  void receive(context&, const order&) { ++size_; }

private:
  int size_;
};

void run(tactor::context& ctx) {
#if defined(CORRECT)
  ctx.spawn<shop>("shop", 3);
#else
  ctx.spawn<shop>("shop", "three");
#endif
}
