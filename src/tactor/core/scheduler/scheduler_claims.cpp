// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/job/job_transitions.hpp"
#include "tactor/core/scheduler/job/shared_count.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/timing/deadline.hpp"

#include <cstddef>
#include <cstdint>

// How timers claim the places of others in the overflow. The overflow of a board has room for all of its timers: there none does.
namespace tactor::inline v0 {

using namespace internal;

/// Takes a place in the quota, and the capacity of the newest entry of the lowest rank below.
admission scheduler::enter_with_claim(timer_record& record) noexcept {
  for (std::uint8_t lower = 0; lower < record.rank(); ++lower) {
    if (!take_one(store_.far_by_rank[lower])) continue;
    const admission result = store_.admit(config_.system_quota);
    const bool granted = result == admission::granted;
    // relaxed: a number
    store_.far_by_rank[granted ? record.rank() : lower].fetch_add(1, relaxed);
    if (granted) record.tell_driver(record.driver().displacing(lower));
    return result;
  }
  return admission::over_capacity;
}

/// Settles the claim of a newcomer on the place of an entry of `rank`.
void scheduler::settle_claim(std::size_t rank) noexcept {
  if (take_one(store_.claims_satisfied[rank])) return;
  if (timer_entry* const newest = wheel_.evict_newest(rank)) {
    --known_reservations_[rank];
    evict(static_cast<timer_record&>(*newest));
  } else {
    ++open_claims_[rank];
  }
}

/// Whether an entry of `rank` has been claimed and has not arrived. An entry that left on its way
/// has settled its claim.
bool scheduler::has_open_claim(std::size_t rank) noexcept {
  while (open_claims_[rank] > 0 && take_one(store_.claims_satisfied[rank]))
    --open_claims_[rank];
  return open_claims_[rank] > 0;
}

/// Ends a job that was removed from the wheel for a higher priority. If it is being cancelled
/// concurrently, its command is on the way.
void scheduler::evict(timer_record& record) noexcept {
  const tick deadline = record.deadline();  // before the record is handed out
  const auto end = record.end_by_driver([](timer_word) { return true; }, &timer_totals::evicted);
  if (!end.made) return;
  leave_to_hand_out(record, end);
  store_.warn({.kind = scheduler_event_kind::dropped_low_priority,
               .priority = record.priority(),
               .job = record.id(),
               .at = tick_at(clock_.now(), config_.timing.resolution),
               .deadline = deadline});
  drop(record);
}

}  // namespace tactor::inline v0
