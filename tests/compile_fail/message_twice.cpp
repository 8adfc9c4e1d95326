// SPDX-License-Identifier: BSL-1.0
// A message that is listed twice.
// error: two messages of this actor have the same identity: list each one once, or give one a type_name of its own
// names: shop
#include "tactor/core/actor/actor.hpp"

struct order {};
struct note {};
#if defined(CORRECT)
class shop : public tactor::actor<order, note> {
#else
class shop : public tactor::actor<order, note, order> {
#endif
public:
  void receive(context&, const order&) {}
  void receive(context&, const note&) {}
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
