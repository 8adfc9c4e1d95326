// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/base/mpsc_queue.hpp"
#include "tactor/base/slab.hpp"
#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/schedule_options.hpp"
#include "tactor/core/scheduler/scheduler.hpp"

#include <chrono>
#include <expected>
#include <optional>
#include <span>
#include <utility>

namespace tactor::inline v0 {

/// Names one deadline of a `deadline_timer` until it is cancelled; never reused.
using deadline_key = internal::slab_handle<>;

/// Deadlines that are set, moved and polled, for code that polls instead of being called:
/// protocols, sessions, leases. Each deadline has a key of its own, which stays valid until it is
/// cancelled.
///
/// `scheduler_deadline_timer` has the timers of a scheduler below it;
/// `testkit::manual_deadline_timer` is for tests. The deadlines of actors (receive timeout, asks,
/// `resume_after`, back-off) have the same interface with fixed keys: `internal::actor_deadlines`.
///
/// Context: owner only.
class deadline_timer {
public:
  /// Sets a deadline `delay` from now; a deadline in the past is due on the next tick.
  [[nodiscard]] virtual std::expected<deadline_key, scheduler_error>
  insert(duration delay) noexcept = 0;
  /// Moves a deadline, whether it has been reached or not: `poll_expired` returns its key once, at
  /// the time set last; one in the past is due on the next tick. Returns: false if the key is
  /// unknown, or the error of the scheduler; then the deadline is not armed.
  [[nodiscard]] virtual std::expected<bool, scheduler_error> rearm(deadline_key key,
                                                                   duration delay) noexcept = 0;
  /// Removes a deadline. Returns: false if the key is unknown.
  virtual bool cancel(deadline_key key) noexcept = 0;
  /// The key of a reached deadline, in order, each once; nothing if there is none.
  [[nodiscard]] virtual std::optional<deadline_key> poll_expired() noexcept = 0;

protected:
  ~deadline_timer() = default;
};

/// A `deadline_timer` that is a thin layer over a scheduler. It has no timers of its own; it is the
/// dispatcher of its scheduler jobs, so everything but the arrival of due jobs happens on the
/// owner's thread.
///
/// Context: owner only, except `dispatch`. Requires: it is destroyed after the scheduler is closed
/// or when none of its deadlines is set; it waits for a thread that is just handing out jobs.
class scheduler_deadline_timer final : public deadline_timer, public job_dispatcher {
public:
  /// Storage for one deadline; all-zero is the valid start.
  using slot = internal::slab_slot<cancellable>;

  /// Requires: `timers` and `storage` outlive it.
  scheduler_deadline_timer(scheduler& timers, std::span<slot> storage) noexcept
      : timers_(timers), deadlines_(storage) {}
  scheduler_deadline_timer(const scheduler_deadline_timer&) = delete;
  scheduler_deadline_timer& operator=(const scheduler_deadline_timer&) = delete;
  ~scheduler_deadline_timer() {
    timers_.await_hand_out();
    while (poll_expired()) {
    }
  }

  /// See `deadline_timer`.
  [[nodiscard]] std::expected<deadline_key, scheduler_error>
  insert(duration delay) noexcept override {
    const auto taken = deadlines_.take();
    if (taken.object == nullptr)
      return timers_.refuse_without_memory(
          {.mode = job_mode::once, .first = at_least_a_tick(delay), .period = {}});
    if (auto armed = arm(taken.name, delay); !armed) {
      deadlines_.give_back(taken.name);
      return std::unexpected{armed.error()};
    }
    return taken.name;
  }

  /// See `deadline_timer`.
  [[nodiscard]] std::expected<bool, scheduler_error> rearm(deadline_key key,
                                                           duration delay) noexcept override {
    cancellable* const deadline = deadlines_.find(key);
    if (deadline == nullptr) return false;
    deadline->cancel();
    if (auto armed = arm(key, delay); !armed) return std::unexpected{armed.error()};
    return true;
  }

  /// See `deadline_timer`.
  bool cancel(deadline_key key) noexcept override {
    cancellable* const deadline = deadlines_.find(key);
    if (deadline == nullptr) return false;
    deadline->cancel();
    *deadline = {};
    return deadlines_.give_back(key);
  }

  /// See `deadline_timer`.
  [[nodiscard]] std::optional<deadline_key> poll_expired() noexcept override {
    while (timer_job* const due = next_due()) {
      due->run();  // sets reached_, unless it was cancelled
      if (reached_) return std::exchange(reached_, std::nullopt);
    }
    return std::nullopt;
  }

  /// For the scheduler. Context: any thread.
  void dispatch(timer_job& job) noexcept override { (void)arrived_.push(job); }

private:
  /// A deadline in the past is due on the next tick: a delay is rounded up to whole ticks.
  static duration at_least_a_tick(duration delay) noexcept {
    return delay > duration{} ? delay : duration{std::chrono::nanoseconds{1}};
  }
  std::expected<void, scheduler_error> arm(deadline_key key, duration delay) noexcept {
    once_options options;
    options.dispatcher = this;
    auto handle = timers_.schedule_once(
        at_least_a_tick(delay), [this, key] { reached_ = key; }, std::move(options));
    if (!handle) return std::unexpected{handle.error()};
    *deadlines_.find(key) = *std::move(handle);
    return {};
  }

  timer_job* next_due() noexcept {
    if (due_.empty()) due_ = arrived_.take_all();
    return due_.pop();
  }

  scheduler& timers_;
  internal::slab<cancellable> deadlines_;
  internal::mpsc_queue<timer_job> arrived_;
  internal::mpsc_chain<timer_job> due_;
  std::optional<deadline_key> reached_;
};

}  // namespace tactor::inline v0
