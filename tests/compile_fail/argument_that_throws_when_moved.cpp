// SPDX-License-Identifier: BSL-1.0
// An argument whose move may throw.
// error: what is kept to build an actor must move without throwing
// names: shop
#include "tactor/core/actor/actor.hpp"

struct order {};
struct stock {
  stock() = default;
  stock(const stock&) = default;
#if defined(CORRECT)
  stock(stock&&) noexcept {}
#else
  stock(stock&&) {}
#endif
};
class shop : public tactor::actor<order> {
public:
  explicit shop(const stock&) {}
  void receive(context&, const order&) {}
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop", stock{});
}
