// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/scheduler/close_task.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_config.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"

#include <memory>

namespace tactor::inline v0::internal {

/// Ends the program with a line that names an invalid setting of a simulation.
[[noreturn]] void refuse_setting(const config_error& why) noexcept;

}  // namespace tactor::inline v0::internal

namespace tactor::inline v0::testkit {

/// Provides memory for all actors of the program, unless other memory was provided before. Context:
/// any thread.
void provide_heap_memory() noexcept;

/// Heap memory for the scheduler of a simulation. The part that handles point to is kept for the
/// next simulation, and for ever while a test has handles. Context: one thread at a time.
class timer_storage {
public:
  /// Takes memory for the timers of `config`. Ends the program with a message if there is none.
  explicit timer_storage(const scheduler_config& config);
  timer_storage(const timer_storage&) = delete;
  timer_storage& operator=(const timer_storage&) = delete;
  /// Requires: the scheduler is destroyed.
  ~timer_storage();

  /// Returns: the parts of a scheduler. Requires: they are used for one scheduler.
  [[nodiscard]] scheduler::parts parts(const monotonic_clock& clock, job_dispatcher& dispatcher,
                                       timer_poller& driver) noexcept;

private:
  struct stable;
  struct wheel_memory;

  // A list of parts that no simulation uses; protected by `idle_mutex`.
  static inline stable* first_idle = nullptr;

  stable* stable_;
  std::unique_ptr<wheel_memory> wheel_;
};

}  // namespace tactor::inline v0::testkit
