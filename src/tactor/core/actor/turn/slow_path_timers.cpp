// SPDX-License-Identifier: BSL-1.0
// The slow path of messages of timers. A board without any does not link it.
#include "tactor/core/actor/delivery/timer_envelope.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"

#include <optional>

namespace tactor::inline v0::internal {

void link_timers() noexcept {}

/// The job owns the envelope, which stays linked in the mailbox until `leave`. Only then may the
/// job learn that its run is over, because it may queue the envelope again at once.
turn_step slow_path::handle_timer(envelope& e) noexcept {
  timer_envelope& timer = timer_envelope::of(e);
  timer_job& job = timer.job();
  job.hold();
  const std::optional<execution_batch> batch = job.begin();
  // A failing handler is the actor's failure, not the job's; a failing copy or factory the job's.
  const run_result made = batch ? job.take_into(*batch, payload_of(e)) : run_result{};
  if (batch && made) {
    ++result_.handled;
    timer.set_batch(*batch);
    receive(e);
    if (is_kept(e)) return leave(e);  // the run is over when the coroutine ends
    if (e.operations->destroy != nullptr) e.operations->destroy(payload_of(e));
    e.detail = 0;
  }
  const step s = leave(e);
  if (batch) job.finish(made);
  job.let_go();
  return s;
}

}  // namespace tactor::inline v0::internal
