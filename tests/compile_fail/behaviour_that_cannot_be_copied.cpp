// SPDX-License-Identifier: BSL-1.0
// A behaviour with a lambda that can only be moved.
// error: the handlers of a behaviour must be copyable: the actor may have to be built anew
// names: coin
#include "tactor/core/actor/behaviour.hpp"

struct coin {};
struct stock {
  stock() = default;
  stock(stock&&) noexcept = default;
#if defined(CORRECT)
  stock(const stock&) = default;
#endif
};
using turnstile = tactor::behaviour<coin>;

turnstile locked() {
  return {[s = stock{}](tactor::context&, coin) { (void)s; }};
}
