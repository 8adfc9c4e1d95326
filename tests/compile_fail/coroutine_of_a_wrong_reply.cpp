// SPDX-License-Identifier: BSL-1.0
// A coroutine handler returns another type than the message declares.
// error: receive() must return Message::reply, expected<Message::reply, failure>, a task of either, or delegated<Message::reply>
// names: shop, order
// at most: 1 errors, 25 lines
#include "tactor/coroutine.hpp"
#include "tactor/testkit/simulation.hpp"

struct order {
  using reply = int;
};

class shop : public tactor::actor<order> {
public:
#if defined(CORRECT)
  tactor::task<int> receive(context&, order) { co_return 1; }
#else
  tactor::task<long> receive(context&, order) { co_return 1; }
#endif
};

void spawn(tactor::testkit::simulation& world) {
  (void)world.spawn<shop>("shop");
}
