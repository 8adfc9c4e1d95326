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

#include <cstddef>
#include <expected>
#include <utility>
#include <vector>

namespace tactor::inline v0::host {

struct stable_block;

/// Zero pages from the system. They cost memory only where they are written.
class zero_pages {
public:
  zero_pages() noexcept = default;
  /// Empty if the system has none.
  explicit zero_pages(std::size_t size) noexcept;
  zero_pages(zero_pages&& other) noexcept
      : start_(std::exchange(other.start_, nullptr)), size_(other.size_) {}
  zero_pages& operator=(zero_pages&& other) noexcept {
    std::swap(start_, other.start_);
    std::swap(size_, other.size_);
    return *this;
  }
  zero_pages(const zero_pages&) = delete;
  zero_pages& operator=(const zero_pages&) = delete;
  ~zero_pages();

  [[nodiscard]] void* start() const noexcept { return start_; }
  /// Keeps the pages for ever.
  void* release() noexcept { return std::exchange(start_, nullptr); }

private:
  void* start_ = nullptr;
  std::size_t size_ = 0;
};

/// Memory for one scheduler.
///
/// The part that handles point to (store, records, extras) is never given back to the system: when
/// the scheduler is gone it waits, in a list of the whole program, for the next one it is large
/// enough for. It is used again only when nobody can be in the middle of anything there: no job is
/// live, none waits in a dispatcher or mailbox, nobody listens to its events. Kept handles of ended
/// jobs do not stand in the way: their records stay what they are until the last handle goes, and
/// then join the free ones, whichever scheduler that is by then. The counters start from zero each
/// time.
///
/// Sizes: a kept handle holds its record after its job has ended, so there are more records than
/// timers may live: `records_for(quota)`. Whoever keeps more handles of ended jobs than that leaves
/// room for gets `capacity_exceeded`.
///
/// Context: one owner; acquiring and giving back from any thread.
class scheduler_memory {
public:
  /// How many records a scheduler with this quota has: twice as many, and at least 4096 more.
  [[nodiscard]] static std::size_t records_for(std::size_t quota) noexcept;

  /// Returns: why there is none. Requires: `check(config)` holds.
  [[nodiscard]] static std::expected<scheduler_memory, config_error>
  acquire(const scheduler_config& config);

  scheduler_memory(scheduler_memory&& other) noexcept;
  scheduler_memory(const scheduler_memory&) = delete;
  scheduler_memory& operator=(const scheduler_memory&) = delete;
  /// Requires: the scheduler is gone.
  ~scheduler_memory();

  /// What a scheduler is made of. Requires: one scheduler.
  [[nodiscard]] scheduler::parts parts(const monotonic_clock& clock, job_dispatcher& dispatcher,
                                       timer_poller* driver) noexcept;
  [[nodiscard]] timer_store& store() const noexcept;

private:
  scheduler_memory(stable_block& block, zero_pages pages, const scheduler_config& config);

  stable_block* block_;
  zero_pages wheel_pages_;
  timer_wheel::storage wheel_;
  std::vector<close_task> close_tasks_;
};

}  // namespace tactor::inline v0::host
