// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/timing/deadline.hpp"

// What a board links of the scheduler although it schedules nothing.
namespace tactor::inline v0 {

using namespace internal;

scheduler::scheduler(const scheduler_config& config, const parts& with) noexcept
    : config_(config),
      store_(with.store),
      clock_(with.clock),
      driver_(with.driver),
      wheel_(with.wheel, tick_at(with.clock.now(), config.timing.resolution), config.timing),
      drift_(with.clock.kind(), config.timing.resolution, config.drift_budget_percent),
      close_tasks_(with.close_tasks) {
  if (config_.timing.overflow_capacity == timing_config::as_many_as_timers) {
    config_.timing.overflow_capacity = config_.system_quota;
  }
  store_.clock = &with.clock;
  store_.resolution = config.timing.resolution;
  store_.default_dispatcher = &with.dispatcher;
  store_.wake_at.store(timer_store::never, relaxed);        // relaxed: no other thread uses it yet
  store_.housekeeping_asked.store(false, relaxed);          // relaxed: see above
  store_.poll_expected.store(timer_store::never, relaxed);  // relaxed: see above
  take_commands(wheel_.position());                         // left by an earlier scheduler
  hand_out_all();
  store_.closed.store(false, relaxed);  // relaxed: see above
}

}  // namespace tactor::inline v0
