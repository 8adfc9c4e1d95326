// SPDX-License-Identifier: BSL-1.0
// A handler of an actor that lists no message.
// error: a receive() of this actor takes a message that is not among the Messages... of its tactor::actor<Messages...>
// names: shop
#include "tactor/core/actor/actor.hpp"

struct order {};
class shop : public tactor::actor<> {
public:
#if defined(CORRECT)
  void receive(context&, const tactor::terminated&) {}
#else
  void receive(context&, const order&) {}
#endif
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
