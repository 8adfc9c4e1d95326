// SPDX-License-Identifier: BSL-1.0
// A constant that is no priority.
// error: the priority of a message is a number from 0, the most urgent, to 255
// names: order
#include "tactor/core/actor/actor.hpp"

struct order {
#if defined(CORRECT)
  static constexpr int priority = 255;
#else
  static constexpr int priority = 256;
#endif
};
class shop : public tactor::actor<order> {
public:
  void receive(context&, const order&) {}
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop").tell(order{});
}
