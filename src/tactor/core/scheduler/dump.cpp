// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/dump.hpp"

#include "tactor/core/observe/dump_writer.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/scheduler/scheduler.hpp"

#include <optional>
#include <string_view>

namespace tactor::inline v0 {

using namespace internal;

namespace {

std::string_view name_of(timer_state state) {
  switch (state) {
  case timer_state::pending:
    return "pending";
  case timer_state::scheduled:
    return "scheduled";
  case timer_state::executing:
    return "executing";
  case timer_state::completed:
    return "completed";
  case timer_state::cancelled:
    return "cancelled";
  default:
    return "unused";
  }
}

std::string_view name_of(job_mode mode) {
  switch (mode) {
  case job_mode::fixed_rate:
    return "fixed_rate";
  case job_mode::fixed_delay:
    return "fixed_delay";
  default:
    return "once";
  }
}

std::string_view name_of(timer_priority priority) {
  switch (priority) {
  case timer_priority::high:
    return "high";
  case timer_priority::low:
    return "low";
  default:
    return "normal";
  }
}

/// Calls `show` for every record in use. Holds it meanwhile: other threads may end the job.
template <class Show>
void for_each_job(timer_store& store, Show show) {
  for (timer_record& record : store.used_records()) {
    if (record.now().state() == timer_state::unused || !record.try_hold()) continue;
    const timer_word word = record.now();
    if (word.state() != timer_state::unused) show(record, word);
    record.let_go();
  }
}

void write_common(dump_writer& out, const timer_record& record, timer_word word) {
  out.id(record.id());
  out.word("mode", name_of(record.mode()));
  out.word("state", name_of(word.state()));
  out.word("priority", name_of(record.priority()));
  // Only a job that the driver has is at rest; the others have no next tick yet.
  out.number("next_tick", word.driven() ? std::optional{record.deadline()} : std::nullopt);
}

void write_wheel(dump_writer& out, scheduler& of) {
  const timer_wheel& wheel = of.wheel();
  std::size_t active = 0;
  for (const timer_slot& slot : wheel.slots())
    active += slot.empty() ? 0u : 1u;
  out.group("wheel");
  out.number("position", wheel.position().count);
  out.number("slots", wheel.slots().size());
  out.number("active_slots", active);
  out.number("size", wheel.size());
  out.number("next_deadline", wheel.next_deadline());
  out.end_group();
  out.group("overflow");
  out.number("size", wheel.overflow_size());
  out.number("capacity", of.config().timing.overflow_capacity);
  out.end_group();
}

void write_periodic(dump_writer& out, timer_store& store) {
  out.list("periodic");
  for_each_job(store, [&](const timer_record& record, timer_word word) {
    if (record.mode() == job_mode::once || word.ended()) return;
    const timer_extras& extras = *record.extras();
    out.item();
    write_common(out, record, word);
    out.number("period_ns", extras.period_ns);
    const std::uintptr_t more = extras.more_runs.load(relaxed);  // relaxed: a number
    out.number("backlog", std::uint64_t{word.due_runs()} + more);
    const bool has_fired = extras.last_fired > tick{};
    out.number("last_fire", has_fired ? std::optional{extras.last_fired} : std::nullopt);
    out.end_group();
  });
  out.end_list();
}

void write_one_shots(dump_writer& out, timer_store& store, std::size_t limit) {
  std::size_t live = 0;
  std::size_t commands = 0;
  out.list("one_shots");
  for_each_job(store, [&](const timer_record& record, timer_word word) {
    if (word.commanded()) ++commands;
    if (record.mode() != job_mode::once || word.ended()) return;
    if (++live > limit) return;
    out.item();
    write_common(out, record, word);
    out.end_group();
  });
  out.end_list();
  out.group("left_out");
  out.number("one_shots", live > limit ? live - limit : 0);
  out.end_group();
  out.group("commands");
  out.number("pending", commands);
  out.end_group();
}

void write_metrics(dump_writer& out, const scheduler_metrics& now) {
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

}  // namespace

void dump(scheduler& of, dump_format format, text_sink& to, std::size_t one_shots) noexcept {
  using json = dump_writer::json;
  dump_writer out{format == dump_format::json ? json::yes : json::no, to};
  of.exclusively([&] {
    write_wheel(out, of);
    write_periodic(out, of.store());
    write_one_shots(out, of.store(), one_shots);
  });
  write_metrics(out, of.metrics());
  out.end();
}

}  // namespace tactor::inline v0
