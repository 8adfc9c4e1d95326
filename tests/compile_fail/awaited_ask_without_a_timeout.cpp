// SPDX-License-Identifier: BSL-1.0
// An ask in a coroutine without a timeout.
// error: an ask needs a timeout, a duration like 200ms after its message: ask(ref, message, timeout), or ask<Message>(ref, timeout, parts...)
// names: quote
#include "tactor/coroutine.hpp"
#include "tactor/testkit.hpp"

struct quote {
  using reply = int;
};

inline tactor::task<int> price(tactor::context& ctx, tactor::actor_ref<quote> prices) {
#if defined(CORRECT)
  auto said = co_await ctx.ask<quote>(prices, std::chrono::seconds{1});
#else
  auto said = co_await ctx.ask(prices, quote{});
#endif
  co_return said.value_or(0);
}
