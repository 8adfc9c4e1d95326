// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/log_histogram.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactor::inline v0 {

/// Figures of one thread that runs actors.
struct worker_report {
  std::string name = {};  // "worker-0", "block-3", "pin-0"
  std::uint64_t busy_ns = 0;
  std::uint64_t idle_ns = 0;  // it had nothing to run

  /// From 0 to 1, since it has started.
  [[nodiscard]] double busy_ratio() const noexcept {
    const std::uint64_t all = busy_ns + idle_ns;
    return all == 0 ? 0.0 : static_cast<double>(busy_ns) / static_cast<double>(all);
  }
};

/// The figures of one actor, or of several whose paths differ only in what the runtime has
/// generated.
struct actor_report {
  std::string label = {};   // "/user/desk", "/user/desk-*", "/user/desk/$"; "_other": all the rest
  std::uint64_t taken = 0;  // messages that left the mailbox
  /// Messages in the mailbox; nothing: that is not known, since a worker has the mailbox and it
  /// does not count.
  std::optional<std::uint64_t> waiting = 0;
  histogram_counts duration = {};
  histogram_counts latency = {};
};

/// The message that a worker handles at this moment.
struct running_handler {
  std::string actor = {};         // its path; "$slot.generation" if it has no name
  std::string_view message = {};  // its type; empty: the actor starts
  std::uint64_t turn = 0;         // the number of the worker's turn
  std::uint32_t worker = 0;       // the number of the worker
  bool on_pool = true;            // false: on a thread that may be blocked
};

/// An actor that is suspended.
struct suspended_actor {
  std::string path = {};
  std::string reasons = {};  // "backpressure,failure"
  std::uint64_t since_ns = 0;
};

/// An actor whose messages wait for long.
struct actor_backlog {
  std::string path = {};
  std::uint64_t oldest_ns = 0;  // its oldest message waits at least so long
};

/// The figures of a system with threads at about one moment: sums, times, workers, and at level
/// `actor` single actors. Times are nanoseconds.
struct metrics_report {
  std::uint64_t time_ns = 0;  // of the system's clock
  metrics_level level = metrics_level::off;
  metrics_snapshot sums = {};
  histogram_counts invoke_duration = {};  // of sampled handlers
  histogram_counts latency = {};          // of sampled messages, from the send to the handler
  histogram_counts suspended = {};        // of all suspensions that have ended
  histogram_counts resume_latency = {};   // of all resumes with a request
  std::vector<worker_report> workers = {};
  std::vector<actor_report> actors = {};
  std::uint64_t labels_left_out = 0;  // actors that are under `_other`
  std::vector<running_handler> handling = {};
  std::vector<suspended_actor> suspended_actors =
      {};  // at level `actor`: those suspended for longest
  std::vector<actor_backlog> backlogs =
      {};  // at level `actor`: those whose oldest messages have waited for longest, as far as known
};

}  // namespace tactor::inline v0
