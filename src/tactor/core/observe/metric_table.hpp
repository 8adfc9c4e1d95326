// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"

#include <cstdint>
#include <string_view>

namespace tactor::inline v0 {

/// How a measurement behaves over time.
enum class metric_kind : std::uint8_t {
  counter,    // only grows
  gauge,      // rises and falls
  histogram,  // many values, counted by size
};

/// What a measurement's number means.
enum class metric_unit : std::uint8_t { count, nanoseconds, ratio };

/// The static description of a measurement.
struct metric {
  std::string_view name;  // dotted; a counter's ends in `_total`
  metric_unit unit;
  metric_kind kind;
  metrics_level level;
  std::string_view labels;  // their names, with commas between
  std::string_view help;    // one sentence
  // its sum over all labels, if a hub has it
  std::uint64_t (*total)(const metrics_snapshot& from) noexcept = nullptr;
};

namespace internal {

template <std::uint64_t metrics_snapshot::* Member>
std::uint64_t member_of(const metrics_snapshot& from) noexcept {
  return from.*Member;
}
inline std::uint64_t actors_alive(const metrics_snapshot& from) noexcept {
  return from.actors_alive();
}
inline std::uint64_t all_dead_letters(const metrics_snapshot& from) noexcept {
  return from.all_dead_letters();
}

}  // namespace internal

/// Every measurement of the runtime. Exporters and documentation are made from this table; no other
/// file names a measurement.
// Not `std::array` with its arguments deduced: g++ 12 puts such a constant into RAM.
inline constexpr metric metric_table[] = {
    // actors
    metric{.name = "actor.messages_sent_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "",
           .help = "User messages that a mailbox accepted.",
           .total = internal::member_of<&metrics_snapshot::messages_sent>},
    metric{.name = "actor.messages_handled_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "",
           .help = "User messages whose handler was called.",
           .total = internal::member_of<&metrics_snapshot::messages_handled>},
    metric{.name = "actor.system_messages_handled_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "",
           .help = "System messages that actors processed.",
           .total = internal::member_of<&metrics_snapshot::system_messages_handled>},
    metric{.name = "actor.started_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "",
           .help = "Actors that were started.",
           .total = internal::member_of<&metrics_snapshot::actors_started>},
    metric{.name = "actor.stopped_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "",
           .help = "Actors that have stopped.",
           .total = internal::member_of<&metrics_snapshot::actors_stopped>},
    metric{.name = "actor.alive",
           .unit = metric_unit::count,
           .kind = metric_kind::gauge,
           .level = metrics_level::system,
           .labels = "",
           .help = "Actors that have started and not stopped.",
           .total = internal::actors_alive},
    metric{.name = "actor.failures_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "",
           .help = "Handlers and hooks that failed.",
           .total = internal::member_of<&metrics_snapshot::failures>},
    metric{.name = "actor.restarts_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "",
           .help = "Failed actors that were replaced by a fresh instance.",
           .total = internal::member_of<&metrics_snapshot::restarts>},
    metric{.name = "actor.suspensions_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "",
           .help = "Changes of an actor from running to suspended.",
           .total = internal::member_of<&metrics_snapshot::suspensions>},
    metric{.name = "actor.resumes_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "",
           .help = "Changes of an actor from suspended to running.",
           .total = internal::member_of<&metrics_snapshot::resumes>},
    metric{.name = "actor.mailbox.enqueued_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::actor,
           .labels = "actor,mailbox",
           .help = "Messages that a mailbox accepted."},
    metric{.name = "actor.mailbox.depth",
           .unit = metric_unit::count,
           .kind = metric_kind::gauge,
           .level = metrics_level::actor,
           .labels = "actor",
           .help = "Messages that wait in a mailbox."},
    // dead letters
    metric{.name = "dead_letters_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "reason",
           .help = "Messages that no actor handled.",
           .total = internal::all_dead_letters},
    metric{.name = "dead_letters_suppressed_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "",
           .help = "Dead letters counted but not published: their type has suppress_dead_letter.",
           .total = internal::member_of<&metrics_snapshot::dead_letters_suppressed>},
    // workers
    metric{.name = "scheduler.turns_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "",
           .help = "Turns: how often a worker ran an actor.",
           .total = internal::member_of<&metrics_snapshot::turns>},
    metric{.name = "scheduler.yields_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "",
           .help = "Turns that ended with messages left.",
           .total = internal::member_of<&metrics_snapshot::yields>},
    metric{.name = "scheduler.ready_queue.depth",
           .unit = metric_unit::count,
           .kind = metric_kind::gauge,
           .level = metrics_level::system,
           .labels = "",
           .help = "Actors that wait for a worker."},
    metric{.name = "scheduler.worker.busy_ratio",
           .unit = metric_unit::ratio,
           .kind = metric_kind::gauge,
           .level = metrics_level::system,
           .labels = "worker",
           .help = "Share of the time in which a worker was not idle."},
    metric{.name = "scheduler.invoke.duration",
           .unit = metric_unit::nanoseconds,
           .kind = metric_kind::histogram,
           .level = metrics_level::actor,
           .labels = "actor",
           .help = "How long handlers took."},
    metric{.name = "scheduler.latency",
           .unit = metric_unit::nanoseconds,
           .kind = metric_kind::histogram,
           .level = metrics_level::actor,
           .labels = "actor",
           .help = "Time from sending a message to calling its handler."},
    // timers: the members of `scheduler_metrics`
    metric{.name = "timer.scheduled_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "",
           .help = "Timer jobs that were accepted."},
    metric{.name = "timer.completed_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "",
           .help = "Timer jobs that ran to their end."},
    metric{.name = "timer.cancelled_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "",
           .help = "Timer jobs that were cancelled."},
    metric{.name = "timer.evicted_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "",
           .help = "Timer jobs that were evicted for more urgent jobs."},
    metric{.name = "timer.undeliverable_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "",
           .help = "Timer jobs whose message could not be delivered."},
    metric{.name = "timer.active",
           .unit = metric_unit::count,
           .kind = metric_kind::gauge,
           .level = metrics_level::system,
           .labels = "",
           .help = "Timer jobs that have not ended."},
    metric{.name = "timer.periodic",
           .unit = metric_unit::count,
           .kind = metric_kind::gauge,
           .level = metrics_level::system,
           .labels = "",
           .help = "Active timer jobs that repeat."},
    metric{.name = "timer.fired_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "",
           .help = "How often a timer was due."},
    metric{.name = "timer.executed_total",
           .unit = metric_unit::count,
           .kind = metric_kind::counter,
           .level = metrics_level::system,
           .labels = "",
           .help = "How often a timer's handler started."},
    metric{
        .name = "timer.dropped_total",
        .unit = metric_unit::count,
        .kind = metric_kind::counter,
        .level = metrics_level::system,
        .labels = "",
        .help =
            "Timers that were evicted, undeliverable, or cancelled when already due, and periodic "
            "runs that were refused."},
    metric{.name = "timer.quota_limit",
           .unit = metric_unit::count,
           .kind = metric_kind::gauge,
           .level = metrics_level::system,
           .labels = "",
           .help = "How many timer jobs may be active."},
    metric{.name = "timer.drift",
           .unit = metric_unit::nanoseconds,
           .kind = metric_kind::gauge,
           .level = metrics_level::system,
           .labels = "",
           .help = "How late the last timer fired."},
};

}  // namespace tactor::inline v0
