// SPDX-License-Identifier: BSL-1.0
// A handler waits for an answer.
// error: a handler does not wait: co_await the ask in a handler that returns a task, or pass a continuation, ctx.ask(ref, message, timeout, [](auto answer) {...})
// names: quote
#include "tactor/coroutine.hpp"
#include "tactor/testkit.hpp"

struct quote {
  using reply = int;
};

inline int price(tactor::context& ctx, tactor::actor_ref<quote> prices) {
  auto asked = ctx.ask(prices, quote{}, std::chrono::seconds{1});
#if defined(CORRECT)
  return 1;
#else
  return asked.get().value_or(0);
#endif
}
