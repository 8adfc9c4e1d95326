// SPDX-License-Identifier: BSL-1.0
// An ask with a continuation, without a timeout.
// error: an ask needs a timeout, a duration like 200ms after its message: ask(ref, message, timeout), or ask<Message>(ref, timeout, parts...)
// names: quote
#include "tactor/coroutine.hpp"
#include "tactor/testkit.hpp"

struct quote {
  using reply = int;
};

inline void ask(tactor::context& ctx, tactor::actor_ref<quote> prices) {
  auto then = [](std::expected<int, tactor::ask_error>) {};
#if defined(CORRECT)
  ctx.ask(prices, quote{}, std::chrono::seconds{1}, then);
#else
  (void)ctx.ask(prices, quote{}, then);
#endif
}
