// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/memory_source.hpp"
#include "tactor/core/scheduler/report/diagnostics.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_config.hpp"
#include "tactor/core/scheduler/scheduler_storage.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/testkit/heap_blocks.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/queue_dispatcher.hpp"
#include "tactor/testkit/scheduler_checks.hpp"
#include "tactor/testkit/scheduler_drive.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tactor::inline v0::testkit {

/// A whole scheduler on a manual clock, with everything it needs: for unit tests, RapidCheck and
/// libFuzzer. Only callables and messages of more than 16 bytes are kept in the heap.
///
/// Moving the clock polls the scheduler and, unless `hold_jobs` was called, runs its jobs; all on
/// the caller's thread. Handles must be destroyed before the harness. Context: one thread.
template <std::size_t Slots, std::size_t Timers, std::size_t Plans = Timers,
          std::size_t CloseTasks = 4>
class scheduler_harness final : private clock_driven, private timer_poller {
public:
  /// `blocks` is for large callables and messages; null: they are refused. Requires:
  /// `check(config)` holds.
  explicit scheduler_harness(const scheduler_config& config = {},
                             block_source* blocks = &heap_blocks(),
                             std::uint64_t start_ns = 0) noexcept
      : clock_(start_ns),
        storage_(blocks),
        timers_(config, storage_.parts(clock_, dispatcher_, this)),
        events_(timers_.events(), event_storage_) {
    clock_.attach(*this);
  }
  scheduler_harness(const scheduler_harness&) = delete;
  scheduler_harness& operator=(const scheduler_harness&) = delete;
  ~scheduler_harness() {
    stop_driver();
    timers_.close();
    dispatcher_.run_all();
  }

  /// Returns: the clock that the test moves.
  [[nodiscard]] manual_clock& clock() noexcept { return clock_; }
  /// Returns: the dispatcher that runs the jobs.
  [[nodiscard]] queue_dispatcher& dispatcher() noexcept { return dispatcher_; }
  /// Returns: the scheduler.
  [[nodiscard]] scheduler& timers() noexcept { return timers_; }

  /// Keeps due jobs in the dispatcher from now on, until the test runs them.
  void hold_jobs() noexcept { holds_jobs_ = true; }
  /// Stops polling, like a driver that is stalled.
  void stop_driver() noexcept {
    if (drives_) clock_.detach(*this);
    drives_ = false;
  }
  /// Polls again whenever the clock moves.
  void resume_driver() noexcept {
    if (!drives_) clock_.attach(*this);
    drives_ = true;
  }

  /// Cancels one of the jobs that can be cancelled, chosen by `seed`. Returns: its id, or 0 if
  /// there was none.
  std::uint64_t inject_random_cancel(std::uint64_t seed) noexcept {
    return cancel_any(timers_.store(), seed);
  }
  /// Returns: the jobs that fired at the last tick at which any fired, in order.
  [[nodiscard]] std::span<const std::uint64_t> last_fire_batch() noexcept {
    collect();
    return watch_.last_batch();
  }
  /// Checks that time went forward: no job fired early, and jobs fired in the order of deadlines.
  [[nodiscard]] verdict assert_monotonic() noexcept {
    collect();
    return watch_.judge();
  }
  /// Checks that counters, records and wheel agree with each other. Requires: not inside a poll.
  [[nodiscard]] verdict check_invariants() noexcept { return testkit::check_invariants(timers_); }
  /// Checks that nothing is left of any job. Requires: no handle is kept.
  [[nodiscard]] verdict check_nothing_left() noexcept {
    return testkit::check_nothing_left(timers_);
  }

private:
  [[nodiscard]] std::optional<timer_instant> next_poll() const noexcept override {
    const bool hook_waits = !holds_jobs_ && !dispatcher_.idle();
    if (hook_waits) return clock_.now();
    return next_poll_of(timers_);
  }
  void poll() noexcept override {
    poll_now();
    if (!holds_jobs_) dispatcher_.run_all();
  }
  void poll_now() noexcept override {
    (void)timers_.poll();
    collect();
  }
  void collect() noexcept {
    while (const auto event = events_.try_next())
      watch_.add(*event);
  }

  manual_clock clock_;
  queue_dispatcher dispatcher_;
  static_scheduler_storage<Slots, Timers, Plans, CloseTasks> storage_;
  mutable scheduler timers_;  // reading its next deadline processes new commands
  std::array<scheduler_event, 2 * Timers + 1> event_storage_{};  // one warning of a late poll
  diagnostics_subscription events_;
  fire_watch<Timers> watch_;
  bool holds_jobs_ = false;
  bool drives_ = true;
};

}  // namespace tactor::inline v0::testkit
