// SPDX-License-Identifier: BSL-1.0
#include "showcase/accounts.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace showcase {

accounts settle(const ledger& book, const tactor::metrics_snapshot& runtime,
                const journal_page& heard) {
  return {.by_actors = book.by_actors.load(std::memory_order_relaxed),
          .by_timers = book.ticked.load(std::memory_order_relaxed) + heard.ticks,
          .events = book.heard.load(std::memory_order_relaxed),
          .handled = runtime.messages_handled - runtime.failures,
          .failed = runtime.failures,
          // Replies do not count as messages of the program, so late replies are subtracted.
          .dead_letters =
              runtime.all_dead_letters() -
              runtime.dead_letters[std::to_underlying(tactor::drop_reason::late_answer)]};
}

incidents recall(const ledger& book, const tactor::scheduler_metrics& timers,
                 const accounts& sums) {
  return {.fell_silent = book.fell_silent.load(std::memory_order_relaxed),
          .timed_out = book.timed_out.load(std::memory_order_relaxed),
          .stopped_silent = book.stopped_silent.load(std::memory_order_relaxed),
          .services = book.services.load(std::memory_order_relaxed),
          .pages = book.pages.load(std::memory_order_relaxed),
          .clients = book.clients.load(std::memory_order_relaxed),
          .lines = book.lines.load(std::memory_order_relaxed),
          .bad_lines = book.bad_lines.load(std::memory_order_relaxed),
          .beacons_silent = book.beacons_silent.load(std::memory_order_relaxed),
          .beacons_woken = book.beacons_woken.load(std::memory_order_relaxed),
          .beacons_stopped_silent = book.beacons_stopped_silent.load(std::memory_order_relaxed),
          .deadlines = timers.executed_total + timers.undeliverable_total - sums.by_timers};
}

std::uint64_t findings::parsers_replaced() const {
  return std::accumulate(done.parsers_made.begin(), done.parsers_made.end(), std::uint64_t{0}) -
         done.parsers_made.size();
}

std::vector<const char*> findings::broken() const {
  struct invariant {
    bool holds;
    const char* what;
  };
  const std::array all{
      invariant{sums.balanced(), "every message is accounted for"},
      invariant{heard.dead_letters == runtime.dead_letters, "the journal has all dead letters"},
      invariant{heard.failures == runtime.failures && heard.restarts == runtime.restarts,
                "the journal has all failures and restarts"},
      invariant{heard.suspensions == runtime.suspensions && heard.resumes == runtime.resumes,
                "the journal has all suspensions and resumes"},
      invariant{heard.silences == counts.timed_out, "the journal has all silences"},
      invariant{runtime.failures == runtime.restarts + parsers_replaced() + done.devices_lost,
                "each failed actor was restarted or stopped"},
      invariant{heard.rests == runtime.restarts, "each restart waited for its delay"},
      invariant{heard.services == counts.services, "the store is serviced by the technician only"},
      invariant{counts.pages + heard.alarms_lost == heard.alarms, "an alarm is paged or dropped"},
      invariant{runtime.resumes == runtime.suspensions, "each suspended actor has resumed"},
      invariant{counts.fell_silent == counts.timed_out + counts.stopped_silent,
                "a silent device has timed out"},
      invariant{counts.beacons_silent == counts.beacons_woken + counts.beacons_stopped_silent,
                "a silent beacon was woken"},
      invariant{!shutdown || shutdown->complete, "all actors have ended"}};
  std::vector<const char*> those;
  for (const invariant& each : all)
    if (!each.holds) those.push_back(each.what);
  return those;
}

}  // namespace showcase
