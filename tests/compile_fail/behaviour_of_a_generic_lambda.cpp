// SPDX-License-Identifier: BSL-1.0
// A behaviour with a lambda that does not say which message it takes.
// error: a handler is a lambda like [](tactor::context&, const Message&) {...}; `auto` parameters name no message
// names: coin
#include "tactor/core/actor/behaviour.hpp"

struct coin {};
using turnstile = tactor::behaviour<coin>;

turnstile locked() {
#if defined(CORRECT)
  return {[](tactor::context&, coin) {}};
#else
  return {[](tactor::context&, auto) {}};
#endif
}
