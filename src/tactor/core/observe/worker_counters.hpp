// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_list.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/port/port.hpp"

#include <array>
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
};

/// The times that a thread with these counters measures. Null: none; also if there are no counters.
[[nodiscard]] inline turn_times* times_of(const worker_counters* counters) noexcept {
  return counters == nullptr ? nullptr : counters->times;
}

}  // namespace tactor::inline v0::internal
