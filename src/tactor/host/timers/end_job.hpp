// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"

#include <utility>

namespace tactor::inline v0::internal {

/// Ends a job that no thread will run, without calling its callable. A cancelled job with a hook comes
/// back to `dispatch`, on this thread: then `run` calls the hook and nothing else. Context: the thread
/// that owns the job.
inline void end_without_running(timer_job& job) noexcept {
  thread_local timer_job* ending = nullptr;
  if (ending == &job) {
    job.run();
    return;
  }
  timer_job* const outer = std::exchange(ending, &job);
  job.discard(post_result::closed);
  ending = outer;
}

}  // namespace tactor::inline v0::internal
