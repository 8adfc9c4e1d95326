// SPDX-License-Identifier: BSL-1.0
// A task outside of actors.
// error: a task needs a `context&` parameter: its frame comes from that actor's pool
// names: promise_parts
// at most: 1 errors, 25 lines
#include "tactor/coroutine.hpp"

#if defined(CORRECT)
tactor::task<int> helper(tactor::context&, int n) {
  co_return n;
}
#else
tactor::task<int> helper(int n) {
  co_return n;
}
#endif
