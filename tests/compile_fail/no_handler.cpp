// SPDX-License-Identifier: BSL-1.0
// An actor without a handler for one of its messages.
// error: no handler: give the actor a public receive(context&, const Message&) or receive(context&, Message)
// names: shop, note
#include "tactor/core/actor/actor.hpp"

struct order {};
struct note {};
class shop : public tactor::actor<order, note> {
public:
  void receive(context&, const order&) {}
#if defined(CORRECT)
  void receive(context&, const note&) {}
#endif
};

void run(tactor::context& ctx) {
  auto made = ctx.spawn<shop>("shop");
  made.tell(order{});
  made.tell(note{});
}
