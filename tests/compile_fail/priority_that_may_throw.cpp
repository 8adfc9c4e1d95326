// SPDX-License-Identifier: BSL-1.0
// A priority that is computed by a function that may throw.
// error: priority() of a message is called while it is sent: make it noexcept
// names: order
#include "tactor/core/actor/actor.hpp"

struct order {
#if defined(CORRECT)
  [[nodiscard]] int priority() const noexcept { return 1; }
#else
  [[nodiscard]] int priority() const { return 1; }
#endif
};
class shop : public tactor::actor<order> {
public:
  void receive(context&, const order&) {}
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop").tell(order{});
}
