// SPDX-License-Identifier: BSL-1.0
#include "scheduler_showcase/snapshot.hpp"

#include "tactor/timers.hpp"

#include "scheduler_showcase/workload.hpp"

#include <chrono>
#include <cstddef>

namespace showcase {
namespace {

wheel_view view_of(const tactor::scheduler& timers) {
  const tactor::timer_wheel& wheel = timers.wheel();
  wheel_view view{.timers_in_slot = {},
                  .position = wheel.position().count % wheel.slots().size(),
                  .overflow = wheel.overflow_size(),
                  .overflow_capacity = timers.config().timing.overflow_capacity};
  view.timers_in_slot.reserve(wheel.slots().size());
  for (std::size_t slot = 0; slot < wheel.slots().size(); ++slot) {
    std::size_t count = 0;
    wheel.for_each_in(slot, [&](const tactor::timer_entry&) { ++count; });
    view.timers_in_slot.push_back(count);
  }
  return view;
}

}  // namespace

snapshot take_snapshot(const tactor::host::realtime_scheduler& timers, workload& work,
                       progress run) {
  const std::chrono::nanoseconds tick{timers->config().timing.resolution.nanoseconds()};
  return {.run = run,
          .resolution = tick,
          .wheel = timers.exclusively(view_of),
          .metrics = timers.metrics(),
          .sums = work.so_far()};
}

}  // namespace showcase
