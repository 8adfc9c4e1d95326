// SPDX-License-Identifier: BSL-1.0
// A move-only argument for an actor that may have to be constructed again.
// error: the actor cannot be built from these arguments (they are kept for restarts: passed as const&); a factory takes what cannot be copied: spawn(name, [] { return Actor{...}; })
// names: shop, stock
#include "tactor/core/actor/actor.hpp"

struct order {};
struct stock {
  stock() = default;
  stock(stock&&) noexcept = default;
#if defined(CORRECT)
  stock(const stock&) = default;
#endif
};
class shop : public tactor::actor<order> {
public:
  explicit shop(stock s) : stock_(static_cast<stock&&>(s)) {}
  void receive(context&, const order&) {}

private:
  [[maybe_unused]] stock stock_;
};

void run(tactor::context& ctx) {
  ctx.spawn<shop>("shop", stock{});
}
