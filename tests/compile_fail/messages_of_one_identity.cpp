// SPDX-License-Identifier: BSL-1.0
// Two messages that fix the same name.
// error: two messages of this actor have the same identity: list each one once, or give one a type_name of its own
// names: shop
#include "tactor/core/actor/actor.hpp"

struct order {
  static constexpr const char* type_name = "shop.order";
};
struct note {
#if defined(CORRECT)
  static constexpr const char* type_name = "shop.note";
#else
  static constexpr const char* type_name = "shop.order";
#endif
};
class shop : public tactor::actor<order, note> {
public:
  void receive(context&, const order&) {}
  void receive(context&, const note&) {}
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop");
}
