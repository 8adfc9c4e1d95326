// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/scheduler/job/run_result.hpp"
#include "tactor/core/scheduler/job/small_task.hpp"

#include <cstdint>

namespace tactor::inline v0 {

namespace internal {
class timer_record;
}  // namespace internal

/// Who runs first when a scheduler closes; within one priority the order of registration counts.
enum class close_priority : std::uint8_t { critical, system, user };

/// Why a close task is refused.
enum class close_task_error : std::uint8_t {
  full,      // as many are registered as `close_task_limit` allows
  shutdown,  // the scheduler has closed
};

/// What runs when a scheduler closes: a task registered for it, or a timer that asked for it.
class close_task {
public:
  constexpr close_task() noexcept = default;

  /// Runs it. Returns: what it said. Requires: once; off the driver's thread.
  run_result run() noexcept;

private:
  friend class scheduler;
  void give_up() const noexcept;

  small_task task_;
  internal::timer_record* timer_ = nullptr;
  close_priority priority_ = close_priority::user;
  std::uint64_t number_ = 0;  // in the order of running, from 1 on
};

}  // namespace tactor::inline v0
