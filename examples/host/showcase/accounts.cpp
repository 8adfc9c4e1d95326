// SPDX-License-Identifier: BSL-1.0
#include "showcase/accounts.hpp"

#include <atomic>
#include <cstdint>
#include <numeric>

namespace showcase {

accounts settle(const ledger& book, const tactor::metrics_snapshot& runtime,
                const journal_page& heard) {
  return {.told = book.told.load(std::memory_order_relaxed),
          .by_timers = book.ticked.load(std::memory_order_relaxed) + heard.ticks,
          .events = book.heard.load(std::memory_order_relaxed),
          .handled = runtime.messages_handled - runtime.failures,
          .failed = runtime.failures,
          .dead_letters = runtime.all_dead_letters()};
}

incidents recall(const ledger& book, const tactor::scheduler_metrics& timers,
                 const accounts& sums) {
  return {.fell_silent = book.fell_silent.load(std::memory_order_relaxed),
          .timed_out = book.timed_out.load(std::memory_order_relaxed),
          .stopped_silent = book.stopped_silent.load(std::memory_order_relaxed),
          .services = book.services.load(std::memory_order_relaxed),
          .beacons_silent = book.beacons_silent.load(std::memory_order_relaxed),
          .beacons_woken = book.beacons_woken.load(std::memory_order_relaxed),
          .beacons_stopped_silent = book.beacons_stopped_silent.load(std::memory_order_relaxed),
          .deadlines = timers.executed_total + timers.undeliverable_total - sums.by_timers};
}

std::uint64_t findings::parsers_replaced() const {
  return std::accumulate(done.parsers_made.begin(), done.parsers_made.end(), std::uint64_t{0}) -
         done.parsers_made.size();
}

bool findings::sound() const {
  const bool heard_of_all =
      heard.dead_letters == runtime.dead_letters && heard.failures == runtime.failures &&
      heard.restarts == runtime.restarts && heard.suspensions == runtime.suspensions &&
      heard.resumes == runtime.resumes && heard.silences == told.timed_out;
  // A failed actor was restarted or stopped; a suspended actor resumed; a silent device timed out.
  const bool all_well =
      runtime.failures == runtime.restarts + parsers_replaced() + done.devices_lost &&
      heard.rests == runtime.restarts && heard.services == told.services &&
      runtime.resumes == runtime.suspensions &&
      told.fell_silent == told.timed_out + told.stopped_silent &&
      told.beacons_silent == told.beacons_woken + told.beacons_stopped_silent;
  return sums.balanced() && heard_of_all && all_well && (!shutdown || shutdown->complete);
}

}  // namespace showcase
