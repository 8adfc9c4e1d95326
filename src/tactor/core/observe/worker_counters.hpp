// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_list.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/observe/scheduler_metrics.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {

struct turn_times;

/// The counts of one thread: a worker, a foreign thread that sends, an interrupt that sends.
/// Counting is one `add`; nothing is shared until a hub reads.
///
/// Context: only the owning thread adds; any thread reads.
struct alignas(port::cache_line) worker_counters : intrusive_list_node<worker_counters> {
  turn_times* times = nullptr;     // that the thread measures; null: none
  port::counter messages_sent;     // user messages sent in turns to actors that were alive
  port::counter messages_handled;  // user messages that had a handler
  port::counter system_messages_handled;
  port::counter turns;   // times a worker ran an actor
  port::counter yields;  // turns that ended with messages left
  port::counter actors_started;
  port::counter actors_stopped;
  port::counter failures;
  port::counter restarts;
  port::counter suspensions;
  port::counter resumes;
  port::counter suspended_ns;             // of suspensions that ended and were measured
  port::counter resumes_timed;            // resumes whose latency was measured
  port::counter resume_latency_ns;        // from the request to the resume, of those
  port::counter mailbox_pressure;         // times a mailbox reached `pressure_at`
  port::counter dead_letters_suppressed;  // dead letters that were counted only
  std::array<port::counter, drop_reasons> dead_letters;  // by reason

  /// Counts a message that no actor handled.
  void count_dead_letter(drop_reason why) noexcept { dead_letters[std::to_underlying(why)].add(1); }
  /// Adds all counts to the sums of a snapshot.
  void add_to(metrics_snapshot& sums) const noexcept {
    sums.messages_sent += messages_sent.value();
    sums.messages_handled += messages_handled.value();
    sums.system_messages_handled += system_messages_handled.value();
    sums.turns += turns.value();
    sums.yields += yields.value();
    sums.actors_started += actors_started.value();
    sums.actors_stopped += actors_stopped.value();
    sums.failures += failures.value();
    sums.restarts += restarts.value();
    sums.suspensions += suspensions.value();
    sums.resumes += resumes.value();
    sums.suspended_ns += suspended_ns.value();
    sums.resumes_timed += resumes_timed.value();
    sums.resume_latency_ns += resume_latency_ns.value();
    sums.mailbox_pressure += mailbox_pressure.value();
    sums.dead_letters_suppressed += dead_letters_suppressed.value();
    for (std::size_t i = 0; i != drop_reasons; ++i)
      sums.dead_letters[i] += dead_letters[i].value();
  }
};
static_assert(sizeof(metrics_snapshot) ==
                  (16 + drop_reasons + 5) * sizeof(std::uint64_t) + sizeof(scheduler_metrics),
              "`add_to` must know every member");

/// The times that a thread with these counters measures. Null: none; also if there are no counters.
[[nodiscard]] inline turn_times* times_of(const worker_counters* counters) noexcept {
  return counters == nullptr ? nullptr : counters->times;
}

}  // namespace tactor::inline v0::internal
