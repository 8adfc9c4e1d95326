// SPDX-License-Identifier: BSL-1.0
// An ask from outside of actors without a timeout.
// error: an ask needs a timeout, a duration like 200ms after its message: ask(ref, message, timeout), or ask<Message>(ref, timeout, parts...)
// names: quote
#include "tactor/testkit/simulation.hpp"

struct quote {
  using reply = int;
};

inline int price(tactor::testkit::simulation& world, tactor::actor_ref<quote> prices) {
#if defined(CORRECT)
  return world.ask(prices, quote{}, std::chrono::seconds{1}).get().value_or(0);
#else
  return world.ask(prices, quote{}).get().value_or(0);
#endif
}
