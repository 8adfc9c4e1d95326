// SPDX-License-Identifier: BSL-1.0
// One handler is private, another is public.
// error: the handler is private: make receive(context&, const Message&) public
// names: shop, note
#include "tactor/core/actor/actor.hpp"

struct order {};
struct note {};
class shop : public tactor::actor<order, note> {
public:
  void receive(context&, const order&) {}
#if !defined(CORRECT)
private:
#endif
  void receive(context&, const note&) {}
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
