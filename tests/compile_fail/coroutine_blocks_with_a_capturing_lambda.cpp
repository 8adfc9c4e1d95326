// SPDX-License-Identifier: BSL-1.0
// g++ destroys a lambda with captures in a co_await expression twice.
// error: g++ destroys a lambda with captures in a co_await expression twice
// names: awaited_call_check
// only: g++
#include "tactor/coroutine.hpp"

#include <string>

[[maybe_unused]] static tactor::task<void> helper(tactor::context& ctx, std::string path) {
#if defined(CORRECT)
  const auto read = [path] { return path.size(); };
  (void)co_await ctx.run_blocking(read);
#else
  (void)co_await ctx.run_blocking([path] { return path.size(); });
#endif
}
