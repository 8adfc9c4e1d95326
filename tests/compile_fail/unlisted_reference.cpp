// SPDX-License-Identifier: BSL-1.0
// A handler that is wrong twice: its message is not listed, and it takes a reference.
// error: a receive() of this actor takes a message that is not among the Messages... of its tactor::actor<Messages...>
// names: shop
#include "tactor/core/actor/actor.hpp"

struct order {};
struct note {};
class shop : public tactor::actor<order> {
public:
  void receive(context&, const order&) {}
#if !defined(CORRECT)
  void receive(context&, note&) {}
#endif
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
