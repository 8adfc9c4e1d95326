// SPDX-License-Identifier: BSL-1.0
// A handler of the base class that a handler of the derived class hides.
// error: no handler: give the actor a public receive(context&, const Message&) or receive(context&, Message)
// names: book_shop, order
#include "tactor/core/actor/actor.hpp"

struct order {};
struct note {};
class shop : public tactor::actor<order, note> {
public:
  void receive(context&, const order&) {}
  void receive(context&, const note&) {}
};
class book_shop : public shop {
public:
#if defined(CORRECT)
  using shop::receive;
#endif
  void receive(context&, const note&) {}
};

void run(tactor::context& ctx) {
  ctx.spawn<book_shop>("books");
}
