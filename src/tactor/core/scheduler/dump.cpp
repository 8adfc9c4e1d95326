// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/dump.hpp"

#include "tactor/core/observe/dump_writer.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/scheduler/live_jobs.hpp"
#include "tactor/core/scheduler/scheduler.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace tactor::inline v0 {

using namespace internal;

namespace {

std::string_view name_of(timer_state state) {
  constexpr std::array<std::string_view, 6> names{"unused",    "pending",   "scheduled",
                                                  "executing", "completed", "cancelled"};
  return names[std::to_underlying(state)];
}

std::string_view name_of(job_priority priority) {
  constexpr std::array<std::string_view, 3> names{"low", "normal", "high"};
  return names[std::to_underlying(priority)];
}

void write_common(dump_writer& out, const live_job& job) {
  out.id(job.record->id());
  out.word("mode", to_text(job.record->mode()));
  out.word("state", name_of(job.word.state()));
  out.word("priority", name_of(job.record->priority()));
  // A job that the driver does not have has no next tick yet.
  out.number("next_tick", job.word.driven() ? std::optional{job.deadline} : std::nullopt);
}

struct dumped_wheel {
  std::uint64_t position = 0;
  std::size_t slots = 0;
  std::size_t active = 0;
  std::size_t size = 0;
  std::optional<tick> next_deadline;
  std::size_t overflow = 0;
};

void write_wheel(dump_writer& out, scheduler& of) {
  dumped_wheel copy;
  of.exclusively([&] {
    const timer_wheel& wheel = of.wheel();
    copy = {.position = wheel.position().count,
            .slots = wheel.slots().size(),
            .active = 0,
            .size = wheel.size(),
            .next_deadline = wheel.next_deadline(),
            .overflow = wheel.overflow_size()};
    for (const timer_slot& slot : wheel.slots())
      copy.active += slot.empty() ? 0u : 1u;
  });
  out.group("wheel");
  out.number("position", copy.position);
  out.number("slots", copy.slots);
  out.number("active_slots", copy.active);
  out.number("size", copy.size);
  out.number("next_deadline", copy.next_deadline);
  out.end_group();
  out.group("overflow");
  out.number("size", copy.overflow);
  out.number("capacity", of.config().timing.overflow_capacity);
  out.end_group();
}

void write_periodic(dump_writer& out, scheduler& of, std::size_t limit) {
  out.list("periodic");
  (void)for_each_job(of, repetition::periodic, limit, [&](const live_job& job) {
    const timer_plan& plan = *job.record->plan();
    out.item();
    write_common(out, job);
    out.number("period_ns", plan.period_ns);
    const std::uintptr_t more = plan.more_runs.load(relaxed);  // relaxed: a number
    out.number("backlog", std::uint64_t{job.word.due_runs()} + more);
    const bool has_fired = job.last_fired > tick{};
    out.number("last_fire", has_fired ? std::optional{job.last_fired} : std::nullopt);
    out.end_group();
  });
  out.end_list();
}

void write_one_shots(dump_writer& out, scheduler& of, std::size_t limit) {
  out.list("one_shots");
  const std::size_t shown = for_each_job(of, repetition::once, limit, [&](const live_job& job) {
    out.item();
    write_common(out, job);
    out.end_group();
  });
  out.end_list();
  std::size_t live = 0;
  std::size_t commands = 0;
  for (const timer_record& record : of.store().used_records()) {
    const timer_word word = record.now();
    if (word.state() == timer_state::unused) continue;
    if (word.commanded()) ++commands;
    if (!word.periodic() && !word.ended()) ++live;
  }
  out.group("left_out");
  out.number("one_shots", live > shown ? live - shown : 0);
  out.end_group();
  out.group("commands");
  out.number("pending", commands);
  out.end_group();
}

}  // namespace

void internal::write_metrics(dump_writer& out, const scheduler_metrics& now) noexcept {
  out.group("metrics");
  out.number("scheduled_total", now.scheduled_total);
  out.number("completed_total", now.completed_total);
  out.number("cancelled_total", now.cancelled_total);
  out.number("evicted_total", now.evicted_total);
  out.number("undeliverable_total", now.undeliverable_total);
  out.number("active_total", now.active_total);
  out.number("periodic_total", now.periodic_total);
  out.number("fired_total", now.fired_total);
  out.number("executed_total", now.executed_total);
  out.number("dropped_total", now.dropped_total);
  out.number("refused_total", now.refused_total);
  out.number("warnings_total", now.warnings_total);
  out.number("handler_failures_total", now.handler_failures_total);
  out.number("quota_limit", now.quota_limit);
  out.number("drift_last_ns", now.drift_last_ns);
  out.number("drift_worst_ns", now.drift_worst_ns);
  out.end_group();
}

void internal::write_dump(dump_writer& out, scheduler& of, const dump_limits& limits) noexcept {
  write_wheel(out, of);
  write_periodic(out, of, limits.periodic);
  write_one_shots(out, of, limits.one_shots);
  write_metrics(out, of.metrics());
}

void dump(scheduler& of, dump_format format, text_sink& to, dump_limits limits) noexcept {
  const bool json = format == dump_format::json;
  json_writer text{to};
  dump_writer out{text, json ? dump_writer::form::object : dump_writer::form::lines};
  write_dump(out, of, limits);
  out.end();
  if (json) to.write("\n");
}

}  // namespace tactor::inline v0
