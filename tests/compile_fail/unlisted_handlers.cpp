// SPDX-License-Identifier: BSL-1.0
// Several handlers for messages that are not in the list of a final class: one is private, one
// takes a reference.
// error: a receive() of this actor takes a message that is not among the Messages... of its tactor::actor<Messages...>
// names: shop
#include "tactor/core/actor/actor.hpp"

struct order {};
struct note {};
struct bill {};
class shop final : public tactor::actor<order> {
public:
  void receive(context&, order) {}
#if !defined(CORRECT)
  void receive(context&, note&) {}

private:
  void receive(context&, bill) {}
#endif
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
