// SPDX-License-Identifier: BSL-1.0
// A lambda that does not say which message it takes.
// error: a handler is a lambda like [](tactor::context&, const Message&) {...}; `auto` parameters name no message
// names: lambda
#include "tactor/core/actor/behaviour.hpp"

struct order {};

void run(tactor::context& ctx) {
#if defined(CORRECT)
  auto shop = ctx.spawn("shop", [](tactor::context&, const order&) {});
#else
  auto shop = ctx.spawn("shop", [](tactor::context&, const auto&) {});
#endif
  shop.tell(order{});
  shop.tell<order>();
}
