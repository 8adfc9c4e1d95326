// SPDX-License-Identifier: BSL-1.0
// A handler for a message that is not in the list of the class.
// error: a receive() of this actor takes a message that is not among the Messages... of its tactor::actor<Messages...>
// names: shop
#include "tactor/core/actor/actor.hpp"

struct order {};
struct note {};
#if defined(CORRECT)
class shop : public tactor::actor<order, note> {
#else
class shop : public tactor::actor<order> {
#endif
public:
  void receive(context&, const order&) {}
  void receive(tactor::context&, const note&) {}
  void receive(context&, const tactor::terminated&) {}
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
