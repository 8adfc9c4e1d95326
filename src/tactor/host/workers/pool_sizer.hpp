// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/host/workers/work_stealing_coordinator.hpp"
#include "tactor/host/workers/worker_state.hpp"

#include <array>
#include <cstdint>

namespace tactor::inline v0::internal {

/// Decides how many workers a pool should have, by how long its cells have waited.
///
/// It looks at the pool from time to time. If cells wait while no worker sleeps, it looks again
/// after `long_wait`: if one of these cells still waits, half as many workers more are needed. If a
/// worker sleeps at many looks in a row, there is one worker too many.
///
/// Context: one owner, while the pool is open. The pool does not wait for it.
class pool_sizer {
public:
  /// A worker has to sleep at so many looks in a row before one worker less is needed.
  static constexpr std::uint32_t quiet_looks = 20;

  explicit pool_sizer(const adaptive_workers& how) noexcept : how_(how) {}

  /// The result of a look.
  struct advice {
    std::uint32_t workers = 1;  // so many workers there should be
    std::uint64_t next_ns = 0;  // the time of the next look

    friend constexpr bool operator==(const advice&, const advice&) noexcept = default;
  };
  /// Looks at a pool with so many workers, unless it is too early for that.
  [[nodiscard]] advice look(const work_stealing_coordinator& pool, std::uint32_t workers,
                            std::uint64_t now_ns) noexcept;

  /// Returns the least number of workers.
  [[nodiscard]] std::uint32_t least() const noexcept { return how_.least; }

private:
  /// The queues of one worker when cells waited.
  struct queue_view {
    std::uint64_t progress = 0;
    std::uint64_t ring_end = 0;
    const ready_cell* slot = nullptr;
    bool inbox_filled = false;
  };

  [[nodiscard]] bool some_wait(const work_stealing_coordinator& pool) noexcept;
  [[nodiscard]] bool some_still_wait(const work_stealing_coordinator& pool) const noexcept;

  adaptive_workers how_;
  std::uint64_t next_ns_ = 0;
  std::uint32_t quiet_ = 0;  // looks in a row at which a worker slept
  bool judges_ = false;      // the next look finds out whether the cells of `views_` still wait
  // What the last look that found waiting cells has seen.
  std::uint32_t viewed_ = 0;  // workers
  bool injected_ = false;
  std::array<queue_view, work_stealing_coordinator::most_workers> views_;
};

}  // namespace tactor::inline v0::internal
