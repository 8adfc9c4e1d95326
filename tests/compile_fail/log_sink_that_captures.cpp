// SPDX-License-Identifier: BSL-1.0
// A lambda as log sink that captures.
// error: a log sink is a lambda without captures, or a function and a pointer that is passed to it: {function, &object}
// names: log_sink
#include "tactor/core/observe/log_sink.hpp"

void count(void* to, const tactor::log_record&) noexcept {
  ++*static_cast<int*>(to);
}

void run() {
  int records = 0;
#if defined(CORRECT)
  const tactor::log_sink sink{count, &records};
#else
  const tactor::log_sink sink{[&](const tactor::log_record&) noexcept { ++records; }};
#endif
  sink.write({});
}
