// SPDX-License-Identifier: BSL-1.0
// An answer is taken from a variable that keeps it.
// error: get() takes the answer out of the pending_reply: write std::move(answer).get()
// names: pending_reply
#include "tactor/testkit/simulation.hpp"

#include <utility>

struct quote {
  using reply = int;
};

inline bool is_cheap(tactor::testkit::simulation& world, tactor::actor_ref<quote> prices) {
  auto answer = world.ask(prices, quote{}, std::chrono::seconds{1});
#if defined(CORRECT)
  return std::move(answer).get() == 3;
#else
  return answer.get() == 3;
#endif
}
