// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/scheduler/close_task.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_config.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/core/timing/timer_wheel.hpp"
#include "tactor/core/timing/timing_config.hpp"
#include "tactor/host/os/mapped_pages.hpp"

#include <cstddef>
#include <expected>
#include <vector>

namespace tactor::inline v0::internal {

struct stable_block;

/// Memory for one scheduler.
///
/// The part that handles point to (store, records, plans) is never returned to the system: when
/// the scheduler is destroyed it waits, in a list of the whole program, for the next scheduler that
/// it is large enough for. It is reused only when no thread can still be using it: no job is live,
/// none waits in a dispatcher or mailbox, and its events have no listener. Kept handles of ended
/// jobs do not prevent that: their records are unchanged until the last handle is dropped, and then
/// join the free records of the scheduler that uses the memory at that time. The counters start
/// from zero each time.
///
/// Sizes: a kept handle occupies its record after its job has ended, so there are more records than
/// live timers: `records_for(quota)`, and 2^24 more for the runtime's own timers, which have no
/// quota; fewer, but at least 2^14, where the process may not have the address space. A program
/// that keeps more handles of ended jobs than that gets `capacity_exceeded`. Only records that have
/// been used cost memory.
///
/// Context: one owner; acquired and destroyed on any thread.
class scheduler_memory {
public:
  /// Returns the number of records for the timers of users: twice the quota, and at least 4096
  /// more.
  [[nodiscard]] static std::size_t records_for(std::size_t quota) noexcept;

  /// Returns: the memory, or why there is none. Throws: std::bad_alloc if there is none for the
  /// close tasks. `section`: of `config`, as in `config_error`. Requires: `check(config)` holds.
  [[nodiscard]] static std::expected<scheduler_memory, config_error>
  acquire(const scheduler_config& config, const char* section = "");

  scheduler_memory(scheduler_memory&& other) noexcept;
  scheduler_memory(const scheduler_memory&) = delete;
  scheduler_memory& operator=(const scheduler_memory&) = delete;
  /// Requires: the scheduler is destroyed.
  ~scheduler_memory();

  /// Returns the parts of a scheduler. Requires: used for one scheduler.
  [[nodiscard]] scheduler::parts parts(const monotonic_clock& clock, job_dispatcher& dispatcher,
                                       timer_poller* driver) noexcept;
  [[nodiscard]] timer_store& store() const noexcept;

private:
  scheduler_memory(stable_block& block, zero_pages pages, std::vector<close_task> close_tasks,
                   const scheduler_config& config) noexcept;

  stable_block* block_;
  zero_pages wheel_pages_;
  timer_wheel::storage wheel_;
  std::vector<close_task> close_tasks_;
};

}  // namespace tactor::inline v0::internal
