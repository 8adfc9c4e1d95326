// SPDX-License-Identifier: BSL-1.0
// A behaviour with two lambdas of the same signature.
// error: no handler (or two): give the behaviour one lambda [](context&, const Message&) or [](context&, Message) for each message
// names: coin
#include "tactor/core/actor/behaviour.hpp"

struct coin {};
using turnstile = tactor::behaviour<coin>;

turnstile locked() {
  return {
#if !defined(CORRECT)
      [](turnstile::context&, coin) {},
#endif
      [](turnstile::context&, coin) {}};
}
