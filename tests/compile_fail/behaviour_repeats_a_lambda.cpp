// SPDX-License-Identifier: BSL-1.0
// A behaviour with two lambdas of the same signature.
// error: two handlers for this message: keep the one that takes const Message& or the one that takes Message
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
