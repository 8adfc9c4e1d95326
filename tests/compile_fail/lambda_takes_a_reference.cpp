// SPDX-License-Identifier: BSL-1.0
// A lambda that takes a reference through which it could change the message.
// error: the handler takes its message by a reference that is not const: write const Message&, or Message to change a copy
// names: order
#include "tactor/core/actor/behaviour.hpp"

struct order {};

void run(tactor::context& ctx) {
#if defined(CORRECT)
  ctx.spawn("shop", [](tactor::context&, const order&) {});
#else
  ctx.spawn("shop", [](tactor::context&, order&) {});
#endif
}
