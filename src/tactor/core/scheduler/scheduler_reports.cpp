// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/duration.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/timing/deadline.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

// What a scheduler notes and says about its timers.
namespace tactor::inline v0 {

using namespace internal;

namespace {

std::uintptr_t saturated(std::uint64_t value) {
  constexpr std::uintptr_t most = std::numeric_limits<std::uintptr_t>::max();
  return value < most ? static_cast<std::uintptr_t>(value) : most;
}

std::uint32_t tick_ns(const timer_store& store) {
  return static_cast<std::uint32_t>(store.resolution.nanoseconds());
}

}  // namespace

namespace {

void publish(timer_store& of, scheduler_event_kind kind, const timer_record& about) noexcept {
  // A thread that ends a job may do so while the driver moves it, and must not read the deadline.
  const bool at_rest =
      kind == scheduler_event_kind::scheduled || kind == scheduler_event_kind::fired;
  const timer_extras* const extras =
      kind == scheduler_event_kind::scheduled ? about.extras() : nullptr;
  of.events.publish({.kind = kind,
                     .priority = about.priority(),
                     .mode = extras != nullptr ? extras->mode : job_mode::once,
                     .job = about.id(),
                     .at = tick_at(of.clock->now(), of.resolution),
                     .deadline = at_rest ? about.deadline() : tick{},
                     .value = extras != nullptr ? extras->period_ns : 0,
                     .executor = about.target().address()});
}

void warn(timer_store& of, const scheduler_event& event) noexcept {
  of.totals.warnings.fetch_add(1, relaxed);  // relaxed: statistic only
  of.events.publish(event);
}

}  // namespace

void scheduler::warn_if_nearly_full(tick present) noexcept {
  const std::size_t waiting = overflow_of_users();
  const std::size_t capacity = config_.timing.overflow_capacity;
  const std::uint64_t percent = config_.timing.overflow_warning_percent;
  const bool near =
      waiting > 0 && std::uint64_t{waiting} * 100 >= std::uint64_t{capacity} * percent;
  if (near && !near_capacity_warned_) {
    store_.warn(
        {.kind = scheduler_event_kind::overflow_near_capacity, .at = present, .value = waiting});
  }
  near_capacity_warned_ = near;
}

void scheduler::note_lateness(timer_instant now) noexcept {
  const std::optional<tick> next = wheel_.next_deadline();
  const internal::split_instant present = internal::split(now, config_.timing.resolution);
  if (!next || *next > present.whole) return;
  constexpr std::uint64_t most_ns = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t whole_ns = saturated_ns(ticks_between(*next, present.whole), tick_ns(store_));
  const std::uint64_t late_ns = whole_ns + std::min(present.rest_ns, most_ns - whole_ns);
  if (const auto observed = drift_.note(present.whole, late_ns)) {
    store_.warn(
        {.kind = scheduler_event_kind::drift_exceeded, .at = present.whole, .value = *observed});
  }
  drift_last_ns_.store(saturated(drift_.last_ns()), relaxed);    // relaxed: statistic only
  drift_worst_ns_.store(saturated(drift_.worst_ns()), relaxed);  // relaxed: statistic only
}

void scheduler::check_for_stall(tick now) noexcept {
  const std::uintptr_t expected = store_.poll_expected.load(relaxed);  // relaxed: a hint
  if (expected == timer_store::never) return;
  const auto overdue =
      static_cast<std::intptr_t>(static_cast<std::uintptr_t>(now.count) - expected);
  if (overdue <= 0) return;
  const std::uint64_t overdue_ns =
      saturated_ns(static_cast<std::uint64_t>(overdue),
                   static_cast<std::uint32_t>(config_.timing.resolution.nanoseconds()));
  if (overdue_ns <= static_cast<std::uint64_t>(config_.stall_limit.nanoseconds())) return;
  if (!stall_warned_.exchange(true, relaxed)) {  // relaxed: only this flag matters
    store_.warn({.kind = scheduler_event_kind::driver_stalled, .at = now, .value = overdue_ns});
  }
}

consteval timer_report_functions scheduler::report_row() noexcept {
  return {
      .publish = tactor::publish,
      .warn = tactor::warn,
      .note_lateness = [](scheduler& of, timer_instant now) noexcept { of.note_lateness(now); },
      .warn_if_nearly_full = [](scheduler& of, tick now) noexcept { of.warn_if_nearly_full(now); },
      .check_for_stall = [](scheduler& of, tick now) noexcept { of.check_for_stall(now); }};
}
constinit const timer_report_functions internal::timer_report_feature = scheduler::report_row();

}  // namespace tactor::inline v0
