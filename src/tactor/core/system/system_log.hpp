// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/observe/logger.hpp"
#include "tactor/core/scheduler/report/diagnostics.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tactor::inline v0 {

/// The failure that stopped a system which was not asked to stop: a top-level actor escalated it.
struct root_failure {
  event_text path;                // of the actor that failed, or whose child did
  std::string_view message_type;  // empty: it was not handling one
  failure why;
};

namespace internal {

/// The paths of the actors that ended last, so that the log can name the receiver of a message that
/// came too late. Thread safety: every function from any thread.
class recent_names {
public:
  constexpr recent_names() noexcept = default;

  /// Remembers the path of an actor that ends.
  void add(mailbox_index who, const event_text& path) noexcept {
    const lock_guard guard{mutex_};
    entries_[next_++ % entries_.size()] = {.who = who, .path = path};
  }
  /// Returns: the path of `who`; empty if it is not known any more.
  [[nodiscard]] event_text find(mailbox_index who) noexcept {
    const lock_guard guard{mutex_};
    for (const entry& each : entries_)
      if (each.who == who) return each.path;
    return {};
  }

private:
  struct entry {
    mailbox_index who;
    event_text path;
  };

  [[no_unique_address]] port::mutex mutex_;
  // protected by mutex_
  std::array<entry, port::sizes::recent_names> entries_{};
  std::size_t next_ = 0;
};

/// The log of a system, and what the system keeps to report it.
struct system_log {
  /// `warnings`: memory for warnings of the timers that are not reported yet. Requires: what it is
  /// made of outlives it.
  system_log(const log_config& config, std::string_view system, const monotonic_clock& clock,
             scheduler* timers, std::span<scheduler_event> warnings) noexcept
      : out(config, system), started_ns(clock_ns(clock)) {
    if (timers != nullptr)
      timer_warnings.emplace(timers->events(), warnings, scheduler_event_kinds::warnings());
  }

  logger out;
  std::uint64_t started_ns;                                // times in the log count from here
  std::optional<diagnostics_subscription> timer_warnings;  // nothing: there are no timers
  recent_names ended_names;
  std::optional<root_failure> cause;  // protected by the lock of the system's family
  // How many messages were lost since the system began to stop, by reason; null: nobody asks.
  port::atomic<std::uintptr_t>* lost_at_end = nullptr;

private:
  static std::uint64_t clock_ns(const monotonic_clock& clock) noexcept {
    const timer_instant now = clock.now();
    return saturated_ns(now.ticks, now.resolution_ns);
  }
};

}  // namespace internal
}  // namespace tactor::inline v0
