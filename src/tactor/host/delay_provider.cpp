// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/delay_provider.hpp"

#include <condition_variable>
#include <coroutine>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace tactor::inline v0 {

/// Shared by the delay and its timer.
struct pending_delay::state {
  /// Ends the delay and wakes threads. Context: any thread, also under locks of the scheduler.
  void end(delay_end now) noexcept {
    const std::scoped_lock lock{mutex};
    if (how) return;
    how = now;
    changed.notify_all();
  }
  /// Ends the delay and resumes the coroutine. Context: a thread of the dispatcher, or the thread
  /// on which the timer ends without it.
  void go_on(delay_end now) noexcept {
    end(now);
    std::coroutine_handle<> next;
    {
      const std::scoped_lock lock{mutex};
      next = std::exchange(awaiting, {});
    }
    if (next) next.resume();
  }
  /// Records that the callable or the hook of the timer was destroyed without a call. If both were,
  /// the dispatcher has refused the timer, and this resumes the coroutine.
  void lose_part() noexcept {
    {
      const std::scoped_lock lock{mutex};
      if (--parts != 0) return;
    }
    go_on(delay_end::cancelled);
  }

  std::mutex mutex;
  std::condition_variable changed;
  // protected by mutex
  std::optional<delay_end> how;
  std::coroutine_handle<> awaiting;
  int parts = 2;  // of the timer: its callable and its hook
};

/// The callable of the timer, or its hook. Each runs, or is destroyed without having run. The
/// callable is destroyed before the hook of a cancelled timer runs.
struct pending_delay::signal {
  signal(std::shared_ptr<state> to, delay_end when_called) noexcept
      : shared(std::move(to)), says(when_called) {}
  signal(signal&&) noexcept = default;
  signal(const signal&) = delete;
  signal& operator=(const signal&) = delete;
  signal& operator=(signal&&) = delete;
  ~signal() {
    if (shared == nullptr) return;
    if (says == delay_end::over) shared->end(delay_end::cancelled);
    shared->lose_part();
  }
  void operator()() noexcept { std::exchange(shared, nullptr)->go_on(says); }

  std::shared_ptr<state> shared;
  delay_end says;
};

pending_delay::pending_delay(std::shared_ptr<state> shared, cancellable timer) noexcept
    : state_(std::move(shared)), timer_(std::move(timer)) {}

pending_delay& pending_delay::operator=(pending_delay&& other) noexcept {
  pending_delay before{std::move(*this)};
  state_ = std::move(other.state_);
  timer_ = std::move(other.timer_);
  return *this;
}

pending_delay::~pending_delay() {
  if (state_ == nullptr) return;
  {
    const std::scoped_lock lock{state_->mutex};
    state_->awaiting = {};  // the coroutine is being destroyed
  }
  (void)timer_.cancel();
}

std::optional<delay_end> pending_delay::ended() const noexcept {
  const std::scoped_lock lock{state_->mutex};
  return state_->how;
}

bool pending_delay::suspend(std::coroutine_handle<> by) const noexcept {
  const std::scoped_lock lock{state_->mutex};
  if (state_->how) return false;
  state_->awaiting = by;
  return true;
}

delay_end pending_delay::wait() const noexcept {
  std::unique_lock lock{state_->mutex};
  state_->changed.wait(lock, [this] { return state_->how.has_value(); });
  return *state_->how;
}

void pending_delay::cancel() noexcept {
  (void)timer_.cancel();
}

std::expected<pending_delay, scheduler_error> delay_provider::after(duration length) const {
  auto shared = std::make_shared<pending_delay::state>();
  auto timer =
      timers_->schedule_once(length, pending_delay::signal{shared, delay_end::over},
                             {.dispatcher = dispatcher_,
                              .on_cancelled = pending_delay::signal{shared, delay_end::cancelled}});
  if (!timer) return std::unexpected{timer.error()};
  return pending_delay{std::move(shared), std::move(*timer)};
}

}  // namespace tactor::inline v0
