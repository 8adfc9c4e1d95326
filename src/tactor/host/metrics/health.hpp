// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/host/metrics/metrics_report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactor::inline v0 {

/// The problems that a system may have.
enum class health_problem : std::uint8_t {
  growing_backlog,  // messages are sent faster than they are handled
  old_messages,     // messages wait for long; of single actors: at level `actor`
  slow_handlers,
  restart_storm,
  hot_dead_letter,  // many messages are not handled, for one reason
  late_timers,
  full_mailbox,        // many messages wait for one actor; at level `actor`
  stuck_handler,       // a handler has kept a worker of the pool since the first report
  suspended_long,      // an actor is suspended for long; at level `actor`
  backpressure_cycle,  // actors, or threads, would wait for each other's mailboxes for ever
};

/// Returns the problem in a line of text: "growing_backlog".
[[nodiscard]] std::string_view to_text(health_problem problem) noexcept;

/// A problem, the figures that show it, and what to do.
struct health_warning {
  health_problem what = health_problem::growing_backlog;
  std::string evidence = {};
  std::string_view advice = {};
  std::optional<drop_reason> reason = {};  // of a hot dead letter
};

/// The limits beyond which something is a problem.
struct health_limits {
  std::uint64_t backlog_growth = 10'000;        // messages that came to wait
  std::uint64_t latency_p99_ns = 500'000'000;   // from the send to the handler
  std::uint64_t oldest_ns = 10'000'000'000;     // how long a message waits that was not handled yet
  std::uint64_t handler_p99_ns = 100'000'000;   // how long a handler takes
  std::uint64_t restarts = 20;                  // of all actors together
  std::uint64_t dead_letters = 100;             // for one reason that is not routine
  std::uint64_t timer_drift_ns = 100'000'000;   // how late timers fire
  std::uint64_t waiting = 10'000;               // in the mailboxes of one label
  std::uint64_t stuck_ns = 1'000'000'000;       // in one handler
  std::uint64_t suspended_ns = 60'000'000'000;  // one actor
};

/// Finds what was wrong between two reports of one system. A pure function: reports may come from a
/// file. Requires: `after` is the later one. Throws: std::bad_alloc.
[[nodiscard]] std::vector<health_warning> find_warnings(const metrics_report& before,
                                                        const metrics_report& after,
                                                        const health_limits& limits = {});

}  // namespace tactor::inline v0
