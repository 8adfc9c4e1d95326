// SPDX-License-Identifier: BSL-1.0
// g++ destroys an aggregate temporary in a co_await expression twice.
// error: g++ destroys an aggregate temporary in a co_await expression twice
// names: quote
// only: g++
#include "tactor/coroutine.hpp"

#include <string>

struct quote {
  std::string item;
  using reply = int;
};

tactor::task<void> helper(tactor::context& ctx, tactor::actor_ref<quote> prices) {
#if defined(CORRECT)
  (void)co_await ctx.ask<quote>(prices, std::chrono::seconds{1}, "tea");
#else
  (void)co_await ctx.ask(prices, quote{"tea"}, std::chrono::seconds{1});
#endif
}
