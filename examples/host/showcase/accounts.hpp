// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/host.hpp"

#include "showcase/messages.hpp"
#include "showcase/threads.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace showcase {

/// The balance of all messages: those that were sent, as the program and its timers count them, and
/// their ends, as the runtime counts them.
struct accounts {
  std::uint64_t by_actors = 0;  // and by main
  std::uint64_t by_timers = 0;
  std::uint64_t events = 0;  // copies of what the runtime publishes, one per subscriber
  std::uint64_t handled = 0;
  std::uint64_t failed = 0;  // a handler failed with it: it is consumed
  std::uint64_t dead_letters = 0;

  [[nodiscard]] std::uint64_t sent() const { return by_actors + by_timers + events; }
  [[nodiscard]] std::uint64_t done() const { return handled + failed + dead_letters; }
  [[nodiscard]] bool balanced() const { return sent() == done(); }
  /// The messages that wait in mailboxes or are being handled. The number is a hint while threads
  /// continue to count.
  [[nodiscard]] std::uint64_t under_way() const { return sent() > done() ? sent() - done() : 0; }
};

/// Makes the balance. Its two sides are equal only when no message is under way.
[[nodiscard]] accounts settle(const ledger& book, const tactor::metrics_snapshot& runtime,
                              const journal_page& heard);

/// The events that the actors have counted.
struct incidents {
  std::uint64_t fell_silent = 0;  // devices
  std::uint64_t timed_out = 0;
  std::uint64_t stopped_silent = 0;
  std::uint64_t services = 0;  // of the store
  std::uint64_t pages = 0;     // of the pager
  std::uint64_t clients = 0;   // of the TCP input
  std::uint64_t lines = 0;
  std::uint64_t bad_lines = 0;
  std::uint64_t beacons_silent = 0;
  std::uint64_t beacons_woken = 0;
  std::uint64_t beacons_stopped_silent = 0;
  /// Timers of the runtime itself: timeouts, and delays before restarts.
  std::uint64_t deadlines = 0;
};
[[nodiscard]] incidents recall(const ledger& book, const tactor::scheduler_metrics& timers,
                               const accounts& sums);

/// The results of a run.
struct findings {
  accounts sums;
  incidents counts;
  tactor::metrics_snapshot runtime;
  journal_page heard;
  gateway_record done;
  std::vector<device_record> stored;
  unsigned beacons = 0;
  std::uint64_t heartbeats = 0;      // that the fleet heard
  std::string input;                 // its address, or why there is none
  std::string console;               // its address and token; empty: there is none
  std::vector<thread_load> threads;  // of the system; none in a simulation
  double per_second = 0;             // messages handled lately
  double seconds = 0;
  std::optional<tactor::shutdown_report> shutdown;  // absent: it has not been shut down

  /// Returns: the number of parsers that replaced a parser that was stopped.
  [[nodiscard]] std::uint64_t parsers_replaced() const;
  /// The invariants that do not hold: no message is missing, the journal has every event, every
  /// failure led to a restart or a stop, and all actors ended in time.
  [[nodiscard]] std::vector<const char*> broken() const;
  [[nodiscard]] bool sound() const { return broken().empty(); }
};

}  // namespace showcase
