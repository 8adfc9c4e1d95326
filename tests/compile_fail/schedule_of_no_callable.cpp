// SPDX-License-Identifier: BSL-1.0
// A timer of the scheduler for something that cannot be called.
// error: a callable takes nothing or an execution_batch, and returns nothing or an expected; a message needs a receiver, named before it
// names: order
#include "tactor/core/scheduler/scheduler.hpp"

struct order {};

void remind(tactor::scheduler& timers) {
#if defined(CORRECT)
  (void)timers.schedule_once(std::chrono::seconds{1}, [] {});
#else
  (void)timers.schedule_once(std::chrono::seconds{1}, order{});
#endif
}
