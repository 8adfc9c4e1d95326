// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/scheduler_checks.hpp"

#include "tactor/core/observe/scheduler_metrics.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_word.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"
#include "tactor/core/timing/overflow_queue.hpp"
#include "tactor/core/timing/timer_wheel.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <span>

namespace tactor::inline v0::testkit {

using namespace tactor::internal;

namespace {

template <class T>
T value_of(const port::atomic<T>& number) {
  return number.load(relaxed);  // relaxed: one thread
}

bool is_live(const timer_record& record) {
  const timer_state state = record.now().state();
  return state != timer_state::unused && !record.now().ended();
}

struct census {
  std::size_t live = 0;
  std::size_t periodic = 0;
  std::size_t in_wheel = 0;
};

census count(std::span<const timer_record> records) {
  census sum;
  for (const timer_record& each : records) {
    if (each.scheduled()) ++sum.in_wheel;
    if (!is_live(each)) continue;
    ++sum.live;
    if (each.mode() != job_mode::once) ++sum.periodic;
  }
  return sum;
}

bool slots_are_sound(const timer_wheel& wheel) {
  bool sound = true;
  for (std::size_t slot = 0; slot < wheel.slots().size(); ++slot) {
    wheel.for_each_in(slot, [&](const timer_entry& each) {
      const tick deadline = each.deadline();
      const bool here = (deadline.count & (wheel.slots().size() - 1)) == slot;
      sound = sound && here && deadline > wheel.position();
    });
  }
  return sound;
}

verdict check_overflow(const timer_wheel& wheel, const timer_store& store) {
  std::size_t waiting = wheel.overflow_size(runtime_rank);
  for (std::size_t rank = 0; rank < user_ranks; ++rank) {
    waiting += wheel.overflow_size(rank);
    if (value_of(store.far_coming[rank]) + value_of(store.far_waiting[rank]) !=
        wheel.overflow_size(rank))
      return {"the counted far jobs are not those in the overflow"};
  }
  if (waiting != wheel.overflow_size()) return {"the overflow's priorities do not add up"};
  return {};
}

}  // namespace

verdict check_invariants(scheduler& timers) noexcept {
  const timer_store& store = timers.store();
  const scheduler_metrics sums = timers.metrics();
  const census records = count(store.used_records());
  const std::uint64_t ended =
      sums.completed_total + sums.cancelled_total + sums.evicted_total + sums.undeliverable_total;
  if (sums.scheduled_total != ended + sums.active_total) return {"the jobs do not add up"};
  if (store.live() != sums.active_total) return {"the quota does not count the live jobs"};
  if (records.live != sums.active_total) return {"the live records do not match the counter"};
  if (records.periodic != sums.periodic_total)
    return {"the periodic records do not match the counter"};
  if (store.live_of_users() > sums.quota_limit) return {"more jobs live than the quota allows"};
  if (timers.has_commands()) return {};

  const timer_wheel& wheel = timers.wheel();
  if (records.in_wheel != wheel.size()) return {"the wheel does not match the records"};
  if (!slots_are_sound(wheel)) return {"a slot holds a timer that does not belong there"};
  return check_overflow(wheel, store);
}

verdict check_nothing_left(scheduler& timers) noexcept {
  const timer_store& store = timers.store();
  if (timers.has_commands()) return {"a command is left"};
  if (timers.wheel().size() != 0) return {"an entry is left in the wheel"};
  if (store.live() != 0) return {"a job is left in the quota"};
  for (const timer_record& each : store.used_records()) {
    if (value_of(each.refs) != 0) return {"a record is referenced"};
    if (each.now().bits != 0) return {"a record is in use without a reference"};
    if (each.plan() != nullptr) return {"a record has not released its plan"};
  }
  return check_overflow(timers.wheel(), store);
}

std::uint64_t cancel_any(timer_store& store, std::uint64_t seed) noexcept {
  const std::span<timer_record> records = store.used_records();
  for (std::size_t step = 0; step < records.size(); ++step) {
    const auto index = static_cast<std::size_t>((seed + step) % records.size());
    timer_record& record = records[index];
    if (!record.try_hold()) continue;
    const std::uint64_t id = record.id();
    const bool cancelled = record.cancel();
    record.let_go();
    if (cancelled) return id;
  }
  return 0;
}

}  // namespace tactor::inline v0::testkit
