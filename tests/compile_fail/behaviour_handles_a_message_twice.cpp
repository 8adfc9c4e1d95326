// SPDX-License-Identifier: BSL-1.0
// A behaviour with two lambdas for one of its messages.
// error: two handlers for this message: keep the one that takes const Message& or the one that takes Message
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
