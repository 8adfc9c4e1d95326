// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"

// A source of its own: on a board, a queue of jobs needs nothing else of timers.
namespace tactor::inline v0::internal {

timer_job* mpsc_link<timer_job>::get(const timer_job& of) noexcept {
  const auto& record = static_cast<const timer_record&>(of);
  const timer_extras* const extras = record.extras();
  return extras == nullptr ? static_cast<timer_job*>(record.kept_address()) : extras->link.get();
}

void mpsc_link<timer_job>::set(timer_job& of, timer_job* next) noexcept {
  auto& record = static_cast<timer_record&>(of);
  if (timer_extras* const extras = record.extras()) {
    extras->link.set(next);
  } else {
    record.keep_address(next);
  }
}

}  // namespace tactor::inline v0::internal
