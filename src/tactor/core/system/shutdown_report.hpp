// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/system/reporter.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace tactor::inline v0 {

/// An actor that prevented the system from ending in time: it had not returned from its handler, or
/// it was suspended, with or without queued messages.
struct late_actor {
  event_text path;
  std::string_view message_type;  // empty: it was starting, or suspended
  duration busy;  // in this turn, counted from the begin of the shutdown; 0 if suspended
  bool suspended = false;
};

/// The messages that a system did not handle before it ended.
struct message_balance {
  /// Dead letters since the system began to stop, by reason; without messages of types that
  /// suppress dead letters.
  std::array<std::uint64_t, drop_reasons> lost{};
  /// Messages that still waited at the end, for actors that are left; nothing: at metrics level
  /// `off` they are not counted.
  std::optional<std::uint64_t> waiting;

  [[nodiscard]] std::uint64_t lost_for(drop_reason why) const noexcept {
    return lost[std::to_underlying(why)];
  }
  [[nodiscard]] std::uint64_t all_lost() const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t each : lost)
      sum += each;
    return sum;
  }
};

/// The result of a shutdown.
struct shutdown_report {
  static constexpr std::size_t most_late = 16;

  /// True if all actors ended in time.
  bool complete = false;
  duration took;
  /// Actors that still lived after they had been told to stop at once.
  std::size_t left = 0;
  /// The messages that were not handled. Final if no actor is `left`: an actor that is left loses
  /// what waits for it when its handler returns.
  message_balance messages;
  /// Close tasks of the timers: succeeded, failed, did not return in time or did not begin.
  std::size_t tasks_run = 0;
  std::size_t tasks_failed = 0;
  std::size_t tasks_late = 0;
  /// The signal that `run_until_interrupted` waited for; 0: none.
  int signal = 0;
  /// The failure that a top-level actor escalated and that stopped the system; nothing: there was
  /// none.
  std::optional<root_failure> cause;

  /// Returns the exit status for `main`: 1 if a failure stopped the system, 2 if actors were late,
  /// 0 otherwise.
  [[nodiscard]] int exit_status() const noexcept {
    if (cause) return 1;
    return complete ? 0 : 2;
  }

  /// The actors that were in a handler or suspended when the deadline passed, at most `most_late`.
  [[nodiscard]] std::span<const late_actor> late() const noexcept {
    return std::span{late_}.first(late_count_);
  }
  /// Adds an actor unless the report is full.
  void add(const late_actor& who) noexcept {
    if (late_count_ < late_.size()) late_[late_count_++] = who;
  }

private:
  std::array<late_actor, most_late> late_{};
  std::size_t late_count_ = 0;
};

namespace internal {

/// What reports on a system that reports its shutdown: it counts what is lost meanwhile.
struct reporter_of_shutdown {
  template <class... Arguments>
  explicit reporter_of_shutdown(Arguments&&... arguments) noexcept
      : out(std::forward<Arguments>(arguments)...) {
    out.count_lost(counts.data());
  }

  reporter out;
  // By reason. Written by: any. Read by: the shutdown. Publishes: nothing.
  std::array<port::atomic<std::uintptr_t>, drop_reasons> counts{};
};

/// Returns the messages that were not handled, and logs a warning if there are some. Context: any
/// thread, when no actor runs but those that are left.
[[nodiscard]] message_balance report_messages(system_core& system,
                                              reporter_of_shutdown& by) noexcept;
/// Adds the suspended actors: no handler runs, so no other actor can be late.
void report_suspended(system_core& system, shutdown_report& into) noexcept;
/// Adds these actors, which are suspended. Context: any thread.
void report_suspended(system_core& system, std::span<const mailbox_index> suspended,
                      shutdown_report& into) noexcept;
/// Runs all close tasks, in order. A task that returns after `until_ns` is late, and is reported.
/// The tasks have at least 100 ms, and so have those after a late one. Requires: the timers are
/// closed.
void run_close_tasks(system_core& system, std::uint64_t until_ns, shutdown_report& into) noexcept;

}  // namespace internal
}  // namespace tactor::inline v0
