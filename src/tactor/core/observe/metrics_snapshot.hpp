// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/scheduler_metrics.hpp"

#include <array>
#include <cstdint>
#include <utility>

namespace tactor::inline v0 {

/// The figures of a system at about one moment: its threads continue meanwhile, and workers add to
/// the sums every few hundred turns and before they sleep. A sum never falls from one scrape to the
/// next.
struct metrics_snapshot {
  // sums of all threads' `worker_counters`
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_handled = 0;
  std::uint64_t system_messages_handled = 0;
  std::uint64_t turns = 0;
  std::uint64_t yields = 0;
  std::uint64_t actors_started = 0;
  std::uint64_t actors_stopped = 0;
  std::uint64_t failures = 0;
  std::uint64_t restarts = 0;
  std::uint64_t suspensions = 0;
  std::uint64_t resumes = 0;
  std::uint64_t suspended_ns = 0;
  std::uint64_t resumes_timed = 0;
  std::uint64_t resume_latency_ns = 0;
  std::uint64_t mailbox_pressure = 0;
  std::uint64_t dead_letters_suppressed = 0;
  std::uint64_t messages_cancelled = 0;
  std::uint64_t messages_lost = 0;
  std::array<std::uint64_t, drop_reasons> dead_letters{};
  // what the system adds
  std::uint64_t ready_queue_depth = 0;
  std::uint64_t coordinator_bytes = 0;
  std::uint64_t workers = 0;
  std::uint64_t workers_draining = 0;
  std::uint64_t registry_bytes = 0;
  std::uint64_t events_refused = 0;
  scheduler_metrics timers;

  /// For one reason.
  [[nodiscard]] constexpr std::uint64_t dead_letters_for(drop_reason why) const noexcept {
    return dead_letters[std::to_underlying(why)];
  }
  /// For all reasons together.
  [[nodiscard]] constexpr std::uint64_t all_dead_letters() const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t each : dead_letters)
      sum += each;
    return sum;
  }
  /// Dead letters that no mailbox had accepted, so that they were never counted as sent.
  [[nodiscard]] constexpr std::uint64_t messages_refused() const noexcept {
    const std::uint64_t all = all_dead_letters();
    return all > messages_lost ? all - messages_lost : 0;
  }
  /// Messages that were accepted, and neither handled, nor cancelled, nor lost: they wait, or are
  /// being handled. Exact while no message is sent or handled, if the level has never been `off`.
  [[nodiscard]] constexpr std::uint64_t waiting() const noexcept {
    const std::uint64_t gone = messages_handled + messages_cancelled + messages_lost;
    return messages_sent > gone ? messages_sent - gone : 0;
  }
  /// An actor may have stopped on one thread before its start on another thread was read: then 0.
  [[nodiscard]] constexpr std::uint64_t actors_alive() const noexcept {
    return actors_started > actors_stopped ? actors_started - actors_stopped : 0;
  }

  friend constexpr bool operator==(const metrics_snapshot&,
                                   const metrics_snapshot&) noexcept = default;
};

}  // namespace tactor::inline v0
