// SPDX-License-Identifier: BSL-1.0
#include "showcase/workload.hpp"

#include "tactor/base/duration.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/timing/deadline.hpp"
#include "tactor/core/timing/timer_entry.hpp"
#include "tactor/core/timing/timer_instant.hpp"
#include "tactor/core/timing/timing_config.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <utility>

namespace showcase {

using namespace std::chrono_literals;

workload::workload(const tactor::timing_config& config, tactor::timer_instant start_time)
    : config_(config),
      room_(config),
      wheel_(room_.view(), tactor::tick_at(start_time, config.resolution), config) {
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    timers_.resize(timers_.size() + descriptions[kind].count,
                   timer{{}, static_cast<timer_kind>(kind), 0, 0});
  }
  const std::uint64_t tick_ns = nanoseconds_at(tactor::tick{1});
  for (timer& each : timers_) {
    const std::chrono::nanoseconds whole = delay_of(each.kind);
    each.period_ticks = static_cast<std::uint64_t>(whole.count()) / tick_ns;
    // As if it had been running for a while; a watchdog starts afresh.
    start(each, start_time, each.kind == timer_kind::watchdog ? whole : between(1ns, whole));
  }
}

void workload::look(tactor::timer_instant now) {
  const tactor::tick now_tick = tactor::tick_at(now, config_.resolution);
  while (tactor::timer_entry* const due = wheel_.pop_due(now_tick))
    fire(static_cast<timer&>(*due), now);
}

std::optional<std::uint64_t> workload::next_look_ns() const {
  const std::optional<tactor::tick> next = wheel_.next_deadline();
  if (!next) return std::nullopt;
  return nanoseconds_at(*next);
}

void workload::fire(timer& due, tactor::timer_instant now) {
  const std::uint64_t now_ns = now.ticks * now.resolution_ns;
  ++figures_.fired[std::to_underlying(due.kind)];
  if (now_ns < due.not_before_ns) ++figures_.early;
  const std::uint64_t deadline_ns = nanoseconds_at(due.deadline());
  figures_.late.record(now_ns > deadline_ns ? now_ns - deadline_ns : 0);

  if (due.kind == timer_kind::heartbeat) {
    start_period(due);
    put_off_one_watchdog(now);
  } else {
    start(due, now, delay_of(due.kind));
  }
}

void workload::start(timer& idle, tactor::timer_instant now, tactor::duration delay) {
  const auto deadline = tactor::deadline_after(now, delay, config_.resolution);
  idle.not_before_ns =
      now.ticks * now.resolution_ns + static_cast<std::uint64_t>(delay.nanoseconds());
  if (!deadline || !wheel_.insert(idle, *deadline)) ++figures_.refused;
}

/// From deadline to deadline, not from now: a late run makes the next one no later.
void workload::start_period(timer& idle) {
  const tactor::tick next = tactor::later_by(idle.deadline(), idle.period_ticks);
  idle.not_before_ns = nanoseconds_at(next);
  if (!wheel_.insert(idle, next)) ++figures_.refused;
}

void workload::put_off_one_watchdog(tactor::timer_instant now) {
  const std::span<timer> watchdogs = all_of(timer_kind::watchdog);
  timer& dog = watchdogs[next_watchdog_++ % watchdogs.size()];
  if (wheel_.cancel(dog)) ++figures_.cancelled[std::to_underlying(timer_kind::watchdog)];
  start(dog, now, delay_of(timer_kind::watchdog));
}

std::chrono::nanoseconds workload::delay_of(timer_kind kind) {
  const std::chrono::nanoseconds tick{config_.resolution.nanoseconds()};
  const std::chrono::nanoseconds turn = tick * static_cast<std::int64_t>(config_.wheel_slots);
  switch (kind) {
  case timer_kind::near:
    return between(5ms, 400ms);
  // The call is in mid-tick, so the deadline is one tick more: 255, 256 or 257 of 256.
  case timer_kind::edge:
    return turn - tick * std::uniform_int_distribution{0, 2}(random_);
  case timer_kind::far:
    return between(1300ms, 5s);
  case timer_kind::heartbeat:
    return between(20ms, 500ms);
  case timer_kind::watchdog:
    return 2s;
  }
  std::unreachable();
}

std::chrono::nanoseconds workload::between(std::chrono::nanoseconds least,
                                           std::chrono::nanoseconds most) {
  std::uniform_int_distribution<std::int64_t> any{least.count(), most.count()};
  return std::chrono::nanoseconds{any(random_)};
}

std::uint64_t workload::nanoseconds_at(tactor::tick tick) const {
  return tick.count * static_cast<std::uint64_t>(config_.resolution.nanoseconds());
}

std::span<timer> workload::all_of(timer_kind kind) {
  std::size_t first = 0;
  for (std::size_t before = 0; before < std::to_underlying(kind); ++before)
    first += descriptions[before].count;
  return std::span{timers_}.subspan(first, descriptions[std::to_underlying(kind)].count);
}

}  // namespace showcase
