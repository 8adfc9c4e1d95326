// SPDX-License-Identifier: BSL-1.0
// A behaviour without a lambda for one of its messages.
// error: no handler: give the behaviour a lambda [](context&, const Message&) or [](context&, Message)
// names: push
#include "tactor/core/actor/behaviour.hpp"

struct coin {};
struct push {};
using turnstile = tactor::behaviour<coin, push>;

turnstile locked() {
  return {
#if defined(CORRECT)
      [](tactor::context&, push) {},
#endif
      [](turnstile::context&, coin) {}};
}
