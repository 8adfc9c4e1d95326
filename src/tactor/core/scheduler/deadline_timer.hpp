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

/// Names one deadline of a `deadline_timer`, for as long as it is not cancelled; never given out twice.
using deadline_key = internal::slab_handle<>;

/// Deadlines that are set, moved and asked for: a thin face over the scheduler for those who poll
/// rather than be called. It has no timers of its own; it is the dispatcher of the scheduler's, so
/// that everything but the arrival of what is due happens on its owner's thread.
///
/// Context: owner only, except `dispatch`. Requires: ends after the scheduler is closed or no
/// deadline of it is set.
class deadline_timer final : public job_dispatcher {
public:
  /// Room for one deadline; all-zero is the valid start.
  using slot = internal::slab_slot<cancellable>;

  /// Requires: everything outlives it.
  deadline_timer(scheduler& timers, std::span<slot> room) noexcept
      : timers_(timers), deadlines_(room) {}
  deadline_timer(const deadline_timer&) = delete;
  deadline_timer& operator=(const deadline_timer&) = delete;
  ~deadline_timer() {
    while (poll_expired()) {
    }
  }

  /// Sets a deadline `delay` from now; one that has passed already falls due on the next tick.
  [[nodiscard]] std::expected<deadline_key, scheduler_error> insert(duration delay) noexcept {
    const auto taken = deadlines_.take();
    if (taken.object == nullptr) return std::unexpected{scheduler_error::capacity_exceeded};
    if (auto armed = arm(taken.name, delay); !armed) {
      deadlines_.give_back(taken.name);
      return std::unexpected{armed.error()};
    }
    return taken.name;
  }

  /// Moves a deadline, whether it has been reached or not: `poll` gives its key once, at the time set
  /// last. Returns: false if the key is not known, or the error of the scheduler; then it stands still.
  [[nodiscard]] std::expected<bool, scheduler_error> rearm(deadline_key key,
                                                           duration delay) noexcept {
    cancellable* const deadline = deadlines_.find(key);
    if (deadline == nullptr) return false;
    deadline->cancel();
    if (auto armed = arm(key, delay); !armed) return std::unexpected{armed.error()};
    return true;
  }

  /// Forgets a deadline. Returns: false if the key is not known.
  bool cancel(deadline_key key) noexcept {
    cancellable* const deadline = deadlines_.find(key);
    if (deadline == nullptr) return false;
    deadline->cancel();
    *deadline = {};
    return deadlines_.give_back(key);
  }

  /// The key of a deadline that has been reached, in order, each once; nothing if there is none.
  [[nodiscard]] std::optional<deadline_key> poll_expired() noexcept {
    while (timer_job* const due = next_due()) {
      due->run();  // sets reached_, unless it was cancelled
      if (reached_) return std::exchange(reached_, std::nullopt);
    }
    return std::nullopt;
  }

  /// For the scheduler. Context: any thread.
  void dispatch(timer_job& job) noexcept override { (void)arrived_.push(job); }

private:
  std::expected<void, scheduler_error> arm(deadline_key key, duration delay) noexcept {
    const duration ahead = delay > duration{} ? delay : duration{std::chrono::nanoseconds{1}};
    once_options options;
    options.dispatcher = this;
    auto handle = timers_.schedule_once(ahead, [this, key] { reached_ = key; }, std::move(options));
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
