// SPDX-License-Identifier: BSL-1.0
// A message type that is not a plain object.
// error: a message is an object: no reference, no array, not const, with a destructor that does not throw
// names: shop, order
#include "tactor/core/actor/actor.hpp"

struct order {};
#if defined(CORRECT)
using message = order;
#else
using message = order[2];
#endif
class shop : public tactor::actor<message> {
public:
  void receive(context&, const order&) {}
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
