// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/scheduler/report/scheduler_metrics.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_config.hpp"
#include "tactor/core/timing/clock_check.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/core/timing/timing_config.hpp"
#include "tactor/host/timers/timer_driver.hpp"

#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <utility>

namespace tactor::inline v0::host {

/// How a scheduler with threads behaves.
struct realtime_config {
  scheduler_config timers = {};
  /// How many threads run callables; from 1 to 1000.
  std::size_t callable_threads = 2;
  /// Null: the system's monotonic clock. Any other outlives everything that was scheduled.
  const monotonic_clock* clock = nullptr;
  /// A manual clock is refused in production. In a test it is taken, and then no thread drives:
  /// whoever moves the clock calls `poll_now`.
  clock_use use = clock_use::production;
};

/// What a shutdown did.
struct close_summary {
  std::size_t run = 0;        // close tasks that came to a good end
  std::size_t failed = 0;     // that reported failure
  std::size_t late = 0;       // that did not come back in time
  std::size_t cancelled = 0;  // timers that were still waiting

  friend bool operator==(const close_summary&, const close_summary&) = default;
};

/// A scheduler that runs by itself: with memory, a thread that drives it and threads for its
/// callables. What a program takes.
///
/// Thread safety: everything from any thread, except moving and destroying it. Receivers and
/// dispatchers of one's own have given back what they got before it goes.
class realtime_scheduler {
public:
  static constexpr std::chrono::seconds default_deadline{5};

  /// Returns: the first setting that cannot work.
  [[nodiscard]] static std::expected<realtime_scheduler, config_error>
  start(const realtime_config& config = {});

  realtime_scheduler(realtime_scheduler&&) noexcept = default;
  realtime_scheduler(const realtime_scheduler&) = delete;
  realtime_scheduler& operator=(const realtime_scheduler&) = delete;
  realtime_scheduler& operator=(realtime_scheduler&& other) noexcept;
  /// Shuts down, with the default deadline.
  ~realtime_scheduler();

  /// Where to schedule, listen and register close tasks. Of its functions for the owner none is to
  /// be called; see `exclusively`.
  [[nodiscard]] scheduler& timers() const noexcept;
  [[nodiscard]] scheduler* operator->() const noexcept { return &timers(); }
  [[nodiscard]] scheduler_metrics metrics() const noexcept { return timers().metrics(); }

  /// Calls `call(scheduler&)` while nobody looks: for dumps. Requires: it waits for nobody.
  template <class Call>
  decltype(auto) exclusively(Call&& call) const {
    return driver().exclusively(
        [&]() -> decltype(auto) { return std::forward<Call>(call)(timers()); });
  }
  /// Looks at once; see `realtime_config::use`.
  void poll_now() const noexcept { driver().poll_now(); }

  /// Takes no new timers, cancels those that wait, runs the close tasks in order, then ends its
  /// threads; all that within `deadline`, or 100 ms if that is over. Whatever does not come back in time, a close task or a
  /// callable, is left to itself. Every call returns when it is over, with the same summary.
  ///
  /// From inside a callable or a close task of this scheduler it begins the shutdown, leaves the
  /// rest to a thread of its own and returns what is known so far: waiting for oneself never ends.
  close_summary shutdown(duration deadline = default_deadline) const;

private:
  class running;
  explicit realtime_scheduler(std::shared_ptr<running> parts) noexcept;
  [[nodiscard]] internal::timer_driver& driver() const noexcept;

  std::shared_ptr<running> running_;  // null: moved from
};

}  // namespace tactor::inline v0::host
