// SPDX-License-Identifier: BSL-1.0
// An actor whose base is private: the default of a class.
// error: this class is no actor: derive it from tactor::actor<Messages...>, publicly
// names: shop
#include "tactor/core/actor/actor.hpp"

struct order {};
#if defined(CORRECT)
class shop : public tactor::actor<order> {
#else
class shop : tactor::actor<order> {
#endif
public:
  void receive(tactor::context&, const order&) {}
};

void run(tactor::context& ctx) {
  tactor::actor_ref<order> made = ctx.spawn<shop>("shop");
  made.tell(order{});
}
