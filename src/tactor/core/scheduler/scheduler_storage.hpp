// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/memory_source.hpp"
#include "tactor/core/scheduler/close_task.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/core/timing/timer_wheel.hpp"

#include <array>
#include <cstddef>

namespace tactor::inline v0 {

/// Memory for a scheduler of a size known at compile time, for static targets and tests. It must
/// live as long as any handle, so it is best a global. `RuntimeTimers` further timers are reserved
/// for the runtime.
template <std::size_t Slots, std::size_t Timers, std::size_t Plans = Timers,
          std::size_t CloseTasks = 4, std::size_t RuntimeTimers = 0>
class static_scheduler_storage {
public:
  explicit static_scheduler_storage(block_source* blocks = nullptr) noexcept
      : store_({.records = records_, .plans = plans_, .reserved = RuntimeTimers}, blocks) {}

  /// The parts of a scheduler. Requires: one scheduler at a time.
  [[nodiscard]] scheduler::parts parts(const monotonic_clock& clock, job_dispatcher& dispatcher,
                                       timer_poller* driver = nullptr) noexcept {
    return {.wheel = wheel_.view(),
            .store = store_,
            .close_tasks = close_tasks_,
            .clock = clock,
            .dispatcher = dispatcher,
            .driver = driver};
  }

private:
  std::array<internal::timer_record, Timers + RuntimeTimers> records_{};
  std::array<internal::timer_plan, Plans> plans_{};
  std::array<close_task, CloseTasks> close_tasks_{};
  static_timing_storage<Slots, Timers + RuntimeTimers> wheel_;
  internal::timer_store store_;
};

}  // namespace tactor::inline v0
