// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/queue_dispatcher.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0::testkit {

/// Returns: the time of the next poll that `driven` needs, in the form that a manual clock expects.
[[nodiscard]] inline std::optional<timer_instant> next_poll_of(scheduler& driven) noexcept {
  const auto next = driven.next_deadline();
  if (!next) return std::nullopt;
  const auto tick_ns = driven.config().timing.resolution.nanoseconds();
  return timer_instant{.ticks = next->count, .resolution_ns = static_cast<std::uint32_t>(tick_ns)};
}

/// Connects a scheduler to a manual clock: moving the clock polls the scheduler and runs its jobs,
/// all on the caller's thread.
class scheduler_drive final : public clock_driven, public timer_poller {
public:
  /// Requires: everything outlives the drive.
  scheduler_drive(manual_clock& clock, queue_dispatcher& dispatcher) noexcept
      : clock_(clock), dispatcher_(dispatcher) {}
  ~scheduler_drive() { stop(); }
  scheduler_drive(const scheduler_drive&) = delete;
  scheduler_drive& operator=(const scheduler_drive&) = delete;

  /// Lets the clock drive `driven` from now on.
  void start(scheduler& driven) noexcept {
    scheduler_ = &driven;
    clock_.attach(*this);
  }
  /// Simulates a driver that has stalled.
  void stop() noexcept {
    if (scheduler_ == nullptr) return;
    clock_.detach(*this);
    scheduler_ = nullptr;
  }

  [[nodiscard]] std::optional<timer_instant> next_poll() const noexcept override {
    const bool hook_waits = !dispatcher_.idle();
    if (hook_waits) return clock_.now();
    return next_poll_of(*scheduler_);
  }
  void poll() noexcept override {
    (void)scheduler_->poll();
    dispatcher_.run_all();
  }
  void poll_now() noexcept override {
    if (scheduler_ != nullptr) (void)scheduler_->poll();
  }

private:
  manual_clock& clock_;
  queue_dispatcher& dispatcher_;
  scheduler* scheduler_ = nullptr;
};

}  // namespace tactor::inline v0::testkit
