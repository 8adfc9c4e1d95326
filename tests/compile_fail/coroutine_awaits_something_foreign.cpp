// SPDX-License-Identifier: BSL-1.0
// A coroutine handler awaits something that would resume it on another thread.
// error: a handler may co_await only what its context offers
// names: suspend_always
#include "tactor/coroutine.hpp"

tactor::task<void> helper(tactor::context& ctx) {
#if defined(CORRECT)
  co_await ctx.yield();
#else
  (void)ctx;
  co_await std::suspend_always{};
#endif
}
