// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/tick.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/scheduler/job/timer_word.hpp"
#include "tactor/core/scheduler/scheduler.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

// The jobs of a scheduler, one after the other, while other threads schedule, run and cancel them.
namespace tactor::inline v0::internal {

/// A job as it was in a turn of the owner. Holds it: other threads may end the job.
struct live_job {
  timer_record* record;
  timer_word word;
  tick deadline;
  tick last_fired;
};

/// Returns true if a job with this word is live, and of this kind.
[[nodiscard]] inline bool is_live(timer_word word, repetition kind) noexcept {
  return word.state() != timer_state::unused && !word.ended() &&
         word.periodic() == (kind == repetition::periodic);
}

/// The job of a record that is held; `unused` if it has ended. Context: the owner.
[[nodiscard]] inline live_job copy_of(timer_record& held, repetition kind) noexcept {
  live_job job{.record = &held, .word = held.now(), .deadline = {}, .last_fired = {}};
  if (!is_live(job.word, kind)) {
    job.word = {};
    return job;
  }
  if (job.word.driven()) job.deadline = held.deadline();  // it is at rest
  if (kind == repetition::periodic) job.last_fired = held.plan()->last_fired;
  return job;
}

/// Copies the next jobs of this kind, from record `at` on. Returns: how many. Context: the owner;
/// the caller writes them and releases the holds afterwards, without a lock: the sink is user code.
inline std::size_t copy_jobs(scheduler& of, repetition kind, std::size_t& at,
                             std::span<live_job> to) {
  constexpr std::size_t most_records = 1024;
  const std::span<timer_record> records = of.store().used_records();
  const std::size_t end = records.size() - at < most_records ? records.size() : at + most_records;
  std::size_t count = 0;
  for (; at < end && count < to.size(); ++at) {
    timer_record& record = records[at];
    if (is_live(record.now(), kind) && record.try_hold()) to[count++] = copy_of(record, kind);
  }
  return count;
}

/// Calls `show(const live_job&)` for at most `most` jobs of this kind, without a lock. Returns: for
/// how many. `AtOnce`: so many are copied under the driver's lock, and held until they are shown.
/// Context: any thread.
template <std::size_t AtOnce = 4, class Show>
std::size_t for_each_job(scheduler& of, repetition kind, std::size_t most, Show show) {
  std::size_t shown = 0;
  for (std::size_t at = 0; at < of.store().used_records().size() && shown < most;) {
    std::array<live_job, AtOnce> jobs;
    std::size_t count = 0;
    const std::size_t left = std::min(jobs.size(), most - shown);
    of.exclusively([&] { count = copy_jobs(of, kind, at, std::span{jobs}.first(left)); });
    for (const live_job& each : std::span{jobs}.first(count)) {
      if (each.word.state() != timer_state::unused) {
        show(each);
        ++shown;
      }
      each.record->let_go();
    }
  }
  return shown;
}

}  // namespace tactor::inline v0::internal
