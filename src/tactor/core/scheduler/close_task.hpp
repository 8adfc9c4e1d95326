// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/scheduler/job/run_result.hpp"
#include "tactor/core/scheduler/job/small_task.hpp"

#include <cstdint>

namespace tactor::inline v0 {

namespace internal {
class timer_record;
}  // namespace internal

/// The order of close tasks; within one priority, the order of registration.
enum class close_priority : std::uint8_t { critical, system, user };

/// Says why a close task is refused.
enum class close_task_error : std::uint8_t {
  full,      // `close_task_limit` tasks are registered
  shutdown,  // the scheduler has closed
};

/// A task that runs when a scheduler closes: a registered task, or a timer with `on_shutdown::run`.
class close_task {
public:
  constexpr close_task() noexcept = default;

  /// Runs the task. Returns: its result. Requires: called once; not on the driver's thread.
  run_result run() noexcept;

private:
  friend class scheduler;
  void give_up() const noexcept;

  small_task task_;
  internal::timer_record* timer_ = nullptr;
  bool begun_ = false;       // the timer: taken from the dispatcher in whose queue it waits
  bool registered_ = false;  // of the scheduler's tasks: complete, and not given out
  close_priority priority_ = close_priority::user;
  std::uint64_t number_ = 0;  // in the order of execution, from 1
};

}  // namespace tactor::inline v0
