// SPDX-License-Identifier: BSL-1.0
#include "showcase/accounts.hpp"

#include <atomic>
#include <cstdint>

namespace showcase {

accounts settle(const ledger& book, const tactor::metrics_snapshot& runtime,
                const tactor::scheduler_metrics& timers) {
  return {.told = book.told.load(std::memory_order_relaxed),
          .by_timers = timers.executed_total + timers.undeliverable_total,
          .events = book.heard.load(std::memory_order_relaxed),
          .handled = runtime.messages_handled,
          .failed = runtime.failures,
          .dead_letters = runtime.all_dead_letters()};
}

bool findings::sound() const {
  return sums.balanced() && heard.failures == runtime.failures &&
         heard.dead_letters == runtime.dead_letters && (!shutdown || shutdown->complete);
}

}  // namespace showcase
