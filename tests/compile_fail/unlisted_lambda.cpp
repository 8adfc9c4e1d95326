// SPDX-License-Identifier: BSL-1.0
// A behaviour with a lambda for a message that it does not list.
// error: a lambda of this behaviour takes a message that is not among the Messages... of its tactor::behaviour<Messages...>
// names: coin
#include "tactor/core/actor/behaviour.hpp"

struct coin {};
struct push {};
using turnstile = tactor::behaviour<coin>;

turnstile locked() {
  return {
#if !defined(CORRECT)
      [](tactor::context&, push) {},
#endif
      [](turnstile::context&, coin) {}};
}
