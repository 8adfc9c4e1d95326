// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/mpsc_queue.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_storage.hpp"
#include "tactor/port/port.hpp"

#include "scenario.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

/// A whole scheduler inside a scenario: the real sources on a clock that stands still while threads
/// run.
namespace tactor::model {

using namespace tactor::internal;

using namespace std::chrono_literals;

/// Moved before and after the threads only.
class still_clock final : public monotonic_clock {
public:
  [[nodiscard]] timer_instant now() const noexcept override {
    return {.ticks = ticks, .resolution_ns = 10'000'000};
  }
  [[nodiscard]] clock_kind kind() const noexcept override { return clock_kind::deterministic; }

  std::uint64_t ticks = 100;
};

/// Jobs wait for a worker.
class waiting_jobs final : public job_dispatcher {
public:
  void dispatch(timer_job& job) noexcept override { (void)queue_.push(job); }
  void run_waiting() noexcept {
    auto waiting = queue_.take_all();
    while (timer_job* const job = waiting.pop())
      job->run();
  }
  [[nodiscard]] bool empty() const noexcept { return queue_.empty(); }

private:
  mpsc_queue<timer_job> queue_;
};

/// The trace of a callable. Its contents detect a use without an order, after the end, or a second
/// destruction.
struct trace {
  enum class contents : std::uint8_t { none, alive, destroyed };

  port::plain<contents> object;
  unsigned runs = 0;
  unsigned destroyed = 0;

  void run() {
    require(object.get() == contents::alive, "ran what is not there");
    object.set(contents::alive);  // a run counts as a write: two at once are a race
    ++runs;
  }
  void destroy() {
    require(object.get() == contents::alive, "destroyed twice");
    object.set(contents::destroyed);
    ++destroyed;
  }
};

/// The callable of a job.
class traced_callable {
public:
  explicit traced_callable(trace& of) noexcept : of_(&of) { of.object.set(trace::contents::alive); }
  traced_callable(traced_callable&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  traced_callable(const traced_callable&) = delete;
  traced_callable& operator=(const traced_callable&) = delete;
  ~traced_callable() {
    if (of_ != nullptr) of_->destroy();
  }
  void operator()() { of_->run(); }

private:
  trace* of_;
};

/// A driver with a lock, like the host's: `poll_now` from any thread, one poll at a time.
class locked_driver final : public timer_poller {
public:
  void poll_now() noexcept override { (void)poll(); }
  poll_result poll() noexcept {
    mutex.lock();
    const poll_result said = timers->poll();
    mutex.unlock();
    return said;
  }
  void close() noexcept {
    mutex.lock();
    timers->close();
    mutex.unlock();
  }

  scheduler* timers = nullptr;
  port::mutex mutex;
};

/// A scheduler with capacity for `Timers` jobs, on a wheel of two slots.
template <std::size_t Timers = 1>
struct timer_world {
  still_clock clock;
  waiting_jobs jobs;
  locked_driver driver;
  static_scheduler_storage<2, Timers, Timers, 1> storage;
  scheduler timers;

  timer_world() : timer_world(Timers) {}
  explicit timer_world(std::size_t overflow) : timer_world(config(overflow)) {}
  explicit timer_world(const scheduler_config& chosen)
      : timers(chosen, storage.parts(clock, jobs, &driver)) {
    driver.timers = &timers;
  }

  static scheduler_config config(std::size_t overflow) {
    scheduler_config chosen;
    chosen.timing.wheel_slots = 2;
    chosen.timing.overflow_capacity = overflow;
    chosen.system_quota = Timers;
    return chosen;
  }

  timer_store& store() { return timers.store(); }

  /// Runs everything that is under way to its end.
  void settle() {
    for (int round = 0; round < 4; ++round) {
      ++clock.ticks;
      (void)timers.poll();
      jobs.run_waiting();
    }
    require(jobs.empty(), "a job is run again and again");
  }

  /// Every record is free, once, and nothing is counted as live. Requires: no handle is left.
  void require_all_free() {
    require(store().commands.empty(), "a command was left");
    for (const timer_record& record : store().used_records()) {
      require(record.refs.load(relaxed) == 0, "a record has references that are never dropped");
      require(record.word.load(relaxed) == 0, "a record without references is not free");
    }
    const scheduler_metrics counted = timers.metrics();
    require(counted.active_total == 0, "a job is counted as active for ever");
    require(counted.periodic_total == 0, "a periodic job is counted for ever");
    require(store().live() == 0, "a unit of the quota is lost");
    std::array<bool, Timers> seen{};
    for (std::size_t i = 0; i < Timers; ++i) {
      timer_record* const record = store().take_record(timer_owner::user, false);
      require(record != nullptr, "a record is lost");
      require(!std::exchange(seen[store().index_of(*record)], true), "a record is free twice");
    }
    require(store().take_record(timer_owner::user, false) == nullptr,
            "more records than there are");
  }
};

}  // namespace tactor::model
