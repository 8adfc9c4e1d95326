// SPDX-License-Identifier: BSL-1.0
// A handler that does not return the reply type of the message.
// error: receive() must return Message::reply, expected<Message::reply, failure>, a task of either, or delegated<Message::reply>
// names: shop, order
#include "tactor/core/actor/actor.hpp"

struct order {
  using reply = int;
};
class shop : public tactor::actor<order> {
public:
#if defined(CORRECT)
  int receive(context&, const order&) { return 1; }
#else
  long receive(context&, const order&) { return 1; }
#endif
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
