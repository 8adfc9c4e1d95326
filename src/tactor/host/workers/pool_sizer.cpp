// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/pool_sizer.hpp"

#include "tactor/base/duration.hpp"
#include "tactor/host/workers/pool_worker.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <utility>

namespace tactor::inline v0::internal {

pool_sizer::advice pool_sizer::look(const work_stealing_coordinator& pool, std::uint32_t workers,
                                    std::uint64_t now_ns) noexcept {
  std::uint32_t wanted = std::clamp(workers, how_.least, how_.most);
  if (now_ns < next_ns_) return {.workers = wanted, .next_ns = next_ns_};
  // While a worker sleeps, a cell that waits does not wait for want of workers.
  const bool all_run = pool.sleeping() == 0;
  if (std::exchange(judges_, false)) {
    if (all_run && some_still_wait(pool)) wanted = std::min(how_.most, wanted + (wanted + 1) / 2);
  } else {
    judges_ = all_run && some_wait(pool);
    quiet_ = all_run ? 0 : quiet_ + 1;
  }
  if (quiet_ == quiet_looks) {
    quiet_ = 0;
    wanted = std::max(how_.least, wanted - 1);
  }
  next_ns_ = later(now_ns, judges_ ? how_.long_wait : how_.every);
  return {.workers = wanted, .next_ns = next_ns_};
}

/// Views the queues. Returns: whether they hold a cell.
bool pool_sizer::some_wait(const work_stealing_coordinator& pool) noexcept {
  viewed_ = pool.workers();
  injected_ = pool.injected() != 0;
  bool some = injected_;
  for (std::uint32_t number = 0; number < viewed_; ++number) {
    const pool_worker& each = pool.worker(number);
    queue_view& view = views_[number];
    view = {.progress = each.progress.value(),
            .ring_end = each.ring.end(),
            .slot = each.lifo_slot.load(relaxed),              // relaxed: only compared
            .inbox_filled = each.inbox_filled.load(relaxed)};  // relaxed: a hint
    some = some || each.ring.size() != 0 || view.slot != nullptr || view.inbox_filled;
  }
  return some;
}

/// Returns true if a cell of the views has certainly not been taken: its ring has not come to it,
/// or the worker that would take it is in the same turn as then.
bool pool_sizer::some_still_wait(const work_stealing_coordinator& pool) const noexcept {
  bool none_has_gone_on = true;
  for (std::uint32_t number = 0; number < viewed_; ++number) {
    const pool_worker& each = pool.worker(number);
    const queue_view& was = views_[number];
    if (each.ring.position() < was.ring_end) return true;
    if (each.progress.value() != was.progress) {
      none_has_gone_on = false;
      continue;
    }
    const ready_cell* const slot = each.lifo_slot.load(relaxed);  // relaxed: only compared
    const bool inbox_filled = each.inbox_filled.load(relaxed);    // relaxed: a hint
    if (was.slot != nullptr && slot == was.slot) return true;
    if (was.inbox_filled && inbox_filled) return true;
  }
  return none_has_gone_on && injected_ && pool.injected() != 0;
}

}  // namespace tactor::inline v0::internal
