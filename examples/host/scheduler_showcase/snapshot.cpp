// SPDX-License-Identifier: BSL-1.0
#include "scheduler_showcase/snapshot.hpp"

#include "tactor/realtime.hpp"

#include "scheduler_showcase/workload.hpp"

#include <chrono>
#include <cstddef>

namespace showcase {
namespace {

std::size_t timers_in(const tactor::timer_slot& slot) {
  std::size_t count = 0;
  for (const auto* each = slot.front(); each != nullptr; each = slot.next(*each))
    ++count;
  return count;
}

wheel_view view_of(const tactor::scheduler& timers) {
  const tactor::timer_wheel& wheel = timers.wheel();
  wheel_view view{.timers_in_slot = {},
                  .position = wheel.position().count % wheel.slots().size(),
                  .overflow = wheel.overflow_size(),
                  .overflow_capacity = timers.config().timing.overflow_capacity};
  view.timers_in_slot.reserve(wheel.slots().size());
  for (const tactor::timer_slot& slot : wheel.slots())
    view.timers_in_slot.push_back(timers_in(slot));
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
