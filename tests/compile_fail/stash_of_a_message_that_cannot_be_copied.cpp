// SPDX-License-Identifier: BSL-1.0
// A move-only message that is taken by reference and stashed.
// error: this message cannot be copied: take it by value, receive(context&, Message), and stash it with ctx.stash(std::move(message))
// names: order
#include "tactor/core/actor/actor.hpp"

struct order {
  order() = default;
  order(order&&) noexcept = default;
};

class shop : public tactor::actor<order> {
public:
#if defined(CORRECT)
  void receive(context& ctx, order o) { (void)ctx.stash(std::move(o)); }
#else
  void receive(context& ctx, const order& o) { (void)ctx.stash(o); }
#endif
};
