// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/scheduler/scheduler_metrics.hpp"

#include "showcase/messages.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace showcase {

/// Where every message came from and what became of it: the left side as the program and the timers
/// count it, the right side as the runtime does.
struct accounts {
  std::uint64_t told = 0;  // by actors and by main
  std::uint64_t by_timers = 0;
  std::uint64_t events = 0;  // copies of dead letters and failures, for those who subscribed
  std::uint64_t handled = 0;
  std::uint64_t failed = 0;  // of these
  std::uint64_t dead_letters = 0;

  [[nodiscard]] std::uint64_t sent() const { return told + by_timers + events; }
  [[nodiscard]] bool balanced() const { return sent() == handled + dead_letters; }
};

/// Requires: nothing is queued.
[[nodiscard]] accounts settle(const ledger& book, const tactor::metrics_snapshot& runtime,
                              const tactor::scheduler_metrics& timers,
                              std::uint64_t refused_events);

/// Everything a run is judged and shown by.
struct findings {
  accounts sums;
  tactor::metrics_snapshot runtime;
  journal_page heard;
  gateway_record done;
  std::vector<device_record> stored;
  double seconds = 0;

  /// Whether nothing got lost, and the journal has heard of everything.
  [[nodiscard]] bool sound() const;
};

}  // namespace showcase
