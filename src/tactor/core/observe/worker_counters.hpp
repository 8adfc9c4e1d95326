// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_list.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
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
  port::counter messages_cancelled;       // messages of timers that ended in a mailbox
  port::counter messages_lost;            // dead letters that a mailbox had accepted
  std::array<port::counter, drop_reasons> dead_letters;  // by reason

  /// Counts a message that no actor handled.
  void count_dead_letter(drop_reason why) noexcept { dead_letters[std::to_underlying(why)].add(1); }
  /// Adds all counts to the sums of a snapshot.
  void add_to(metrics_snapshot& sums) const noexcept;
};

/// A counter, and its sum in a snapshot.
struct counted_sum {
  port::counter worker_counters::* counter;
  std::uint64_t metrics_snapshot::* sum;
};
/// The counters of threads besides those of dead letters. board_frame.hpp checks that every sum is
/// there.
inline constexpr counted_sum counted_sums[] = {
    {&worker_counters::messages_sent, &metrics_snapshot::messages_sent},
    {&worker_counters::messages_handled, &metrics_snapshot::messages_handled},
    {&worker_counters::system_messages_handled, &metrics_snapshot::system_messages_handled},
    {&worker_counters::turns, &metrics_snapshot::turns},
    {&worker_counters::yields, &metrics_snapshot::yields},
    {&worker_counters::actors_started, &metrics_snapshot::actors_started},
    {&worker_counters::actors_stopped, &metrics_snapshot::actors_stopped},
    {&worker_counters::failures, &metrics_snapshot::failures},
    {&worker_counters::restarts, &metrics_snapshot::restarts},
    {&worker_counters::suspensions, &metrics_snapshot::suspensions},
    {&worker_counters::resumes, &metrics_snapshot::resumes},
    {&worker_counters::suspended_ns, &metrics_snapshot::suspended_ns},
    {&worker_counters::resumes_timed, &metrics_snapshot::resumes_timed},
    {&worker_counters::resume_latency_ns, &metrics_snapshot::resume_latency_ns},
    {&worker_counters::mailbox_pressure, &metrics_snapshot::mailbox_pressure},
    {&worker_counters::dead_letters_suppressed, &metrics_snapshot::dead_letters_suppressed},
    {&worker_counters::messages_cancelled, &metrics_snapshot::messages_cancelled},
    {&worker_counters::messages_lost, &metrics_snapshot::messages_lost},
};

inline void worker_counters::add_to(metrics_snapshot& sums) const noexcept {
  for (const counted_sum& each : counted_sums)
    sums.*each.sum += (this->*each.counter).value();
  for (std::size_t i = 0; i != drop_reasons; ++i)
    sums.dead_letters[i] += dead_letters[i].value();
}

/// The times that a thread with these counters measures. Null: none; also if there are no counters.
[[nodiscard]] inline turn_times* times_of(const worker_counters* counters) noexcept {
  return counters == nullptr ? nullptr : counters->times;
}

}  // namespace tactor::inline v0::internal
