// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/observe/scheduler_metrics.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_config.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/core/timing/timing_config.hpp"
#include "tactor/host/timers/timer_driver.hpp"

#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <utility>

namespace tactor::inline v0::testkit {
struct system_steps;
}

namespace tactor::inline v0::host {

/// Settings of a `realtime_scheduler`.
struct realtime_config {
  scheduler_config timers = {};
  /// The number of threads that run callables; from 1 to 1000.
  std::size_t callable_threads = 2;
  /// Null: the system's monotonic clock. Any other clock outlives everything that was scheduled.
  const monotonic_clock* clock = nullptr;
  /// A manual clock is refused in production. In a test it is accepted, and no thread drives the
  /// scheduler: the test moves the clock, then calls `testkit::system_steps::poll_now`.
  clock_use use = clock_use::production;
};

/// The result of a shutdown.
struct close_summary {
  std::size_t run = 0;        // close tasks that succeeded
  std::size_t failed = 0;     // close tasks that reported failure
  std::size_t late = 0;       // close tasks and callables that did not return in time
  std::size_t cancelled = 0;  // timers that were still waiting

  friend bool operator==(const close_summary&, const close_summary&) = default;
};

/// A scheduler that runs by itself: with memory, a thread that drives it and threads for its
/// callables. For programs that use timers without actors.
///
/// Thread safety: everything from any thread, except moving and destroying it. Requires: before it
/// is destroyed, receivers and dispatchers of the program's own have finished the jobs they took.
class realtime_scheduler {
public:
  static constexpr std::chrono::seconds default_deadline{5};

  /// Returns: the scheduler, or the first invalid setting; in a process that was forked from one
  /// with such threads, that.
  [[nodiscard]] static std::expected<realtime_scheduler, config_error>
  start(const realtime_config& config = {});

  realtime_scheduler(realtime_scheduler&&) noexcept = default;
  realtime_scheduler(const realtime_scheduler&) = delete;
  realtime_scheduler& operator=(const realtime_scheduler&) = delete;
  realtime_scheduler& operator=(realtime_scheduler&& other) noexcept;
  /// Shuts down, with the default deadline, and then waits for late close tasks and callables.
  ~realtime_scheduler();

  /// Returns the scheduler, for scheduling, listening and close tasks. Its functions for the owner
  /// must not be called; see `exclusively`.
  [[nodiscard]] scheduler& timers() const noexcept;
  [[nodiscard]] scheduler* operator->() const noexcept { return &timers(); }
  [[nodiscard]] scheduler_metrics metrics() const noexcept { return timers().metrics(); }

  /// Calls `call(scheduler&)` while no poll runs: for dumps. Requires: it does not block.
  template <class Call>
  decltype(auto) exclusively(Call&& call) const {
    return driver().exclusively(
        [&]() -> decltype(auto) { return std::forward<Call>(call)(timers()); });
  }

  /// Accepts no new timers, cancels the waiting ones, runs the close tasks in order, one after the
  /// other, then ends its threads; all within `deadline`. A close task that has not returned by
  /// then is late: it goes on, and the tasks after it have 100 ms. A callable that has not returned
  /// is late, too. Nothing begins after the call has returned; what still runs is counted as late,
  /// and the destructor waits for it. Every call returns after the shutdown, with equal summaries;
  /// the earliest deadline of all calls counts.
  ///
  /// From inside a callable or a close task of this scheduler it begins the shutdown, leaves the
  /// rest to a thread of its own and returns what is known so far: a thread must not wait for
  /// itself.
  close_summary shutdown(duration deadline = default_deadline) const;

private:
  friend struct testkit::system_steps;
  void poll_now() const noexcept { driver().poll_now(); }

  class running;
  explicit realtime_scheduler(std::shared_ptr<running> parts) noexcept;
  [[nodiscard]] internal::timer_driver& driver() const noexcept;

  std::shared_ptr<running> running_;  // null: moved from
};

}  // namespace tactor::inline v0::host
