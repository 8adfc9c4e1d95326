// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/mpsc_queue.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/timer_job.hpp"
#include "tactor/testkit/manual_clock.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0::testkit {

/// A dispatcher without threads: jobs wait until they are told to run. Context: one thread.
class queue_dispatcher final : public job_dispatcher {
public:
  void dispatch(timer_job& job) noexcept override { (void)queue_.push(job); }

  /// Runs what waits and what comes meanwhile. Returns: how many jobs it ran.
  std::size_t run_all() noexcept {
    std::size_t count = 0;
    while (!queue_.empty())
      count += run_waiting();
    return count;
  }
  /// Runs what waits now, and leaves what comes meanwhile.
  std::size_t run_waiting() noexcept {
    std::size_t count = 0;
    auto waiting = queue_.take_all();
    while (timer_job* const job = waiting.pop()) {
      job->run();
      ++count;
    }
    return count;
  }
  [[nodiscard]] bool idle() const noexcept { return queue_.empty(); }

private:
  mpsc_queue<timer_job> queue_;
};

/// Connects a scheduler to a manual clock: moving the clock makes it look and its jobs run, all on the caller's thread.
class scheduler_drive final : public clock_driven, public look_driver {
public:
  /// Requires: everything outlives the drive. Attaches itself to `clock`.
  scheduler_drive(manual_clock& clock, queue_dispatcher& dispatcher) noexcept
      : clock_(clock), dispatcher_(dispatcher) {}
  ~scheduler_drive() { stop(); }
  scheduler_drive(const scheduler_drive&) = delete;
  scheduler_drive& operator=(const scheduler_drive&) = delete;

  /// From now on the clock drives `driven`.
  void start(scheduler& driven) noexcept {
    scheduler_ = &driven;
    clock_.attach(*this);
  }
  /// A driver that has stopped looking.
  void stop() noexcept {
    if (scheduler_ == nullptr) return;
    clock_.detach(*this);
    scheduler_ = nullptr;
  }

  [[nodiscard]] std::optional<timer_instant> next_look() const noexcept override {
    const auto next = scheduler_->next_deadline();
    if (!next) return std::nullopt;
    const auto tick_ns = scheduler_->config().timing.resolution.nanoseconds();
    return timer_instant{.ticks = next->count,
                         .resolution_ns = static_cast<std::uint32_t>(tick_ns)};
  }
  void look() noexcept override {
    (void)scheduler_->look();
    dispatcher_.run_all();
  }
  void look_now() noexcept override {
    if (scheduler_ != nullptr) (void)scheduler_->look();
  }

private:
  manual_clock& clock_;
  queue_dispatcher& dispatcher_;
  scheduler* scheduler_ = nullptr;
};

}  // namespace tactor::inline v0::testkit
