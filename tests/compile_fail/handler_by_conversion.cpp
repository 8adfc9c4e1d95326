// SPDX-License-Identifier: BSL-1.0
// A handler of another type, which the message converts to.
// error: receive() takes this message only by conversion or as a template: write receive(context&, const Message&) or receive(context&, Message)
// names: shop, order
#include "tactor/core/actor/actor.hpp"

struct paper {};
struct order : paper {};
class shop : public tactor::actor<order> {
public:
#if defined(CORRECT)
  void receive(context&, const order&) {}
#else
  void receive(context&, const paper&) {}
#endif
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
