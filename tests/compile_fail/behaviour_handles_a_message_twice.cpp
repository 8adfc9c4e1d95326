// SPDX-License-Identifier: BSL-1.0
// A behaviour with two lambdas for one of its messages.
// error: no handler (or two): give the behaviour one lambda [](context&, const Message&) or [](context&, Message) for each message
// names: coin
#include "tactor/core/actor/behaviour.hpp"

struct coin {};
struct push {};
using turnstile = tactor::behaviour<coin, push>;

turnstile locked() {
  return {
#if !defined(CORRECT)
      [](tactor::context&, const coin&) {},
#endif
      [](tactor::context&, push) {}, [](turnstile::context&, coin) {}};
}
