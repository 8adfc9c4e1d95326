// SPDX-License-Identifier: BSL-1.0
// A handler that is private.
// error: the handler is private: make receive(context&, const Message&) public
// names: shop, order
#include "tactor/core/actor/actor.hpp"

struct order {};
class shop : public tactor::actor<order> {
#if defined(CORRECT)
public:
#endif
  void receive(context&, const order&) {}
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
