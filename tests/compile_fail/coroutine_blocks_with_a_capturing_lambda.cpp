// SPDX-License-Identifier: BSL-1.0
// g++ destroys a lambda with captures in a co_await expression twice.
// error: g++ destroys a lambda with captures in a co_await expression twice
// names: awaited_call_check
// only: g++
#include "tactor/coroutine.hpp"

#include <cstddef>
#include <string>

inline std::size_t size_of(const std::string& path) noexcept {
  return path.size();
}

tactor::task<void> helper(tactor::context& ctx, std::string path) {
#if defined(CORRECT)
  (void)co_await ctx.run_blocking(size_of, path);
#else
  (void)co_await ctx.run_blocking([path] { return path.size(); });
#endif
}
