// SPDX-License-Identifier: BSL-1.0
#include "scheduler_showcase/warnings.hpp"

#include "tactor/actor.hpp"

#include "screen/text.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace showcase {
namespace {

using tactor::scheduler_event;
using tactor::scheduler_event_kind;

constexpr std::array<const char*, event_kinds> names = {
    "scheduled",
    "fired",
    "cancelled",
    "undeliverable",
    "drift_exceeded",
    "burst_fire",
    "backlog_exceeded",
    "quota_reached",
    "overflow_near_capacity",
    "dropped_low_priority",
    "handler_failed",
    "task_run_failed",
    "driver_stalled",
    "driver_resumed",
    "driver_ended",
    "diagnostics_dropped",
};

/// A record's number and how often it has been used: together the id.
std::string job_of(const scheduler_event& event) {
  return text("job %llu.%llu", number(event.job & 0xFFFF'FFFF), number(event.job >> 32));
}

std::string detail_of(const scheduler_event& event) {
  switch (event.kind) {
  case scheduler_event_kind::drift_exceeded:
    return "8 polls in a row, the last " + length_of(event.value) + " late";
  case scheduler_event_kind::burst_fire:
    return text("%llu runs missed, ", number(event.value)) + job_of(event);
  case scheduler_event_kind::backlog_exceeded:
    return text("%llu runs wait, cancelled: ", number(event.value)) + job_of(event);
  case scheduler_event_kind::quota_reached:
    return text("%llu timers live", number(event.value));
  case scheduler_event_kind::overflow_near_capacity:
    return text("%llu wait there", number(event.value));
  case scheduler_event_kind::dropped_low_priority:
    return "made room: " + job_of(event);
  case scheduler_event_kind::handler_failed:
    return text("error %llu, cancelled: ", number(event.value)) + job_of(event);
  case scheduler_event_kind::task_run_failed:
    return text("close task %llu", number(event.value));
  case scheduler_event_kind::driver_stalled:
    return length_of(event.value) + " overdue";
  case scheduler_event_kind::diagnostics_dropped:
    return text("%llu events not shown", number(event.value));
  default:
    return "";
  }
}

}  // namespace

const char* name_of(scheduler_event_kind kind) {
  return names[std::to_underlying(kind)];
}

warnings::warnings(tactor::diagnostics& stream, tactor::duration resolution,
                   tactor::timer_instant start)
    : resolution_(resolution),
      start_(tick_at(start, resolution)),
      unread_(stream, room_, tactor::scheduler_event_kinds::warnings()) {}

std::size_t warnings::read() {
  std::size_t fresh = 0;
  while (const auto event = unread_.try_next()) {
    ++counts_[std::to_underlying(event->kind)];
    lines_.push_back(line_of(*event));
    if (lines_.size() > kept) lines_.pop_front();
    ++fresh;
  }
  return fresh < kept ? fresh : kept;
}

std::string warnings::line_of(const scheduler_event& event) const {
  const auto ticks = event.at > start_ ? tactor::ticks_between(start_, event.at) : 0;
  const double seconds =
      static_cast<double>(ticks) * static_cast<double>(resolution_.nanoseconds()) / 1e9;
  return text("%6.2f s  %-22s  ", seconds, name_of(event.kind)) + detail_of(event);
}

}  // namespace showcase
