// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/scheduler/schedule_options.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/system/system_interface.hpp"

#include <coroutine>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>

namespace tactor::inline v0 {

/// The way in which a delay ended.
enum class delay_end : std::uint8_t {
  over,       // its time has passed
  cancelled,  // it was cancelled, its scheduler has closed, or the dispatcher has refused it
};

/// A delay as a value, for code outside of actors; see `delay_provider`. Destroying it cancels its
/// timer.
///
/// Thread safety: one thread at a time; the timer may end on any other. A coroutine that awaits it
/// is destroyed only where no other thread resumes it at that moment.
class [[nodiscard]] pending_delay {
public:
  pending_delay(pending_delay&&) noexcept = default;
  pending_delay(const pending_delay&) = delete;
  pending_delay& operator=(const pending_delay&) = delete;
  pending_delay& operator=(pending_delay&& other) noexcept;
  ~pending_delay();

  /// Returns: the way in which it ended; nothing: it has not.
  [[nodiscard]] std::optional<delay_end> ended() const noexcept;
  /// Resumes a coroutine that is no handler of an actor with the way in which the delay ended. The
  /// provider's dispatcher resumes it; if the dispatcher refuses, the thread that ends the timer
  /// does. Requires: no other coroutine awaits it.
  [[nodiscard]] auto operator co_await() const noexcept {
    struct awaiter {
      const pending_delay* of;
      [[nodiscard]] bool await_ready() const noexcept { return of->ended().has_value(); }
      [[nodiscard]] bool await_suspend(std::coroutine_handle<> by) const noexcept {
        return of->suspend(by);
      }
      [[nodiscard]] delay_end await_resume() const noexcept { return *of->ended(); }
    };
    return awaiter{this};
  }
  /// Blocks this thread until the delay has ended. In virtual time another thread has to move the
  /// clock.
  [[nodiscard]] delay_end wait() const noexcept;
  /// Ends the delay now. It has no effect if the delay has ended.
  void cancel() noexcept;

private:
  friend class delay_provider;
  struct state;
  struct signal;
  [[nodiscard]] bool suspend(std::coroutine_handle<> by) const noexcept;
  pending_delay(std::shared_ptr<state> shared, cancellable timer) noexcept;

  std::shared_ptr<state> state_;  // null: moved from
  cancellable timer_;
};

/// Makes delays for code outside of actors: one-shot timers of a scheduler. Systems and contexts
/// hand them out, and programs without actors make them on a scheduler. Those of a system, or of a
/// `host::realtime_scheduler`, take real time; those of a `testkit::simulation` or
/// `testkit::scheduler_harness` virtual time, so that a test hands over another provider.
///
///     const tactor::delay_provider delays = system.delays();
///     auto pause = delays.after(20ms);
///     if (pause) (void)pause->wait();
///
/// Thread safety: any thread. The scheduler and the dispatcher outlive it.
class delay_provider {
public:
  /// `dispatcher` continues the coroutines that await; null: the default of the scheduler.
  explicit delay_provider(scheduler& timers, job_dispatcher* dispatcher = nullptr) noexcept
      : timers_(&timers), dispatcher_(dispatcher) {}

  /// Begins a delay. Returns: an error if no timer can be scheduled.
  [[nodiscard]] std::expected<pending_delay, scheduler_error> after(duration length) const;

private:
  scheduler* timers_;
  job_dispatcher* dispatcher_;
};

inline delay_provider context::delays() const noexcept {
  scheduler& of_system = timers();  // also says so if this thread runs no actors
  job_dispatcher* const runs_it = internal::this_thread().services->callables_of(self_cell());
  return delay_provider{of_system, runs_it};
}

inline delay_provider system_interface::delays() const noexcept {
  return delay_provider{timers()};
}

}  // namespace tactor::inline v0
