// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"

#include <utility>

namespace tactor::inline v0::internal {

/// Ends a run that no thread will do, without calling the callable: `closed` ends the job,
/// `refused` ends a one-shot job and lets a periodic one wait for its next run. A cancelled job
/// with a hook comes back to `dispatch`, on this thread: then `run` calls the hook and nothing
/// else. Context: the thread that owns the job.
inline void end_without_running(timer_job& job, post_result why = post_result::closed) noexcept {
  thread_local timer_job* ending = nullptr;
  if (ending == &job) {
    job.run();
    return;
  }
  timer_job* const outer = std::exchange(ending, &job);
  job.discard(why);
  ending = outer;
}

}  // namespace tactor::inline v0::internal
