// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/snapshot/timer_occupancy.hpp"

#include "tactor/base/tick.hpp"
#include "tactor/core/scheduler/live_jobs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tactor::inline v0::internal {

void write_occupancy(json_writer& to, scheduler& of) {
  constexpr std::size_t most_bars = 120;
  constexpr std::size_t most_timers = 100'000;
  constexpr std::size_t at_once = 64;
  tick position;
  std::size_t slots = 0;
  of.exclusively([&] {
    position = of.wheel().position();
    slots = of.wheel().slots().size();
  });
  std::array<std::uint64_t, most_bars> bars{};
  const std::size_t count = std::min(most_bars, slots);
  std::size_t visited = 0;
  for (const repetition kind : {repetition::periodic, repetition::once})
    visited += for_each_job<at_once>(of, kind, most_timers - visited, [&](const live_job& job) {
      const bool is_due = job.word.driven() && job.deadline.count < position.count + slots;
      if (is_due) ++bars[(job.deadline.count % slots) * count / slots];
    });
  const std::uint64_t live = of.metrics().active_total;
  to.open('{');
  to.key("bars").open('[');
  for (const std::uint64_t each : std::span{bars}.first(count))
    to.number(each);
  to.close(']');
  to.number("left_out", visited == most_timers && live > visited ? live - visited : 0);
  to.close('}');
}

}  // namespace tactor::inline v0::internal
