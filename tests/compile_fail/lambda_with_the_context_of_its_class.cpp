// SPDX-License-Identifier: BSL-1.0
// A lambda inside of an actor class, where `context` is the context of that class.
// error: the lambda takes the context of another actor: write tactor::context& (inside of an actor class, `context` alone is the context of that class)
// names: note
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/behaviour.hpp"

struct order {};
struct note {};
class shop : public tactor::actor<order> {
public:
  void pre_start(context& ctx) {
#if defined(CORRECT)
    ctx.spawn("desk", [](tactor::context&, note){});
#else
    ctx.spawn("desk", [](context&, note) {});
#endif
  }
  void receive(context&, const order&) {}
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
