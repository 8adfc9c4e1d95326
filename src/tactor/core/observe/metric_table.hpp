// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/metric.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/observe/scheduler_metrics.hpp"

#include <cstdint>

namespace tactor::inline v0 {

/// Every measurement of the runtime. Exporters and documentation are made from this table; no other
/// file names a measurement.
// Not `std::array` with its arguments deduced: g++ 12 puts such a constant into RAM.
inline constexpr metric metric_table[] = {
    // actors
    metric{
        .name = "actor.messages_sent_total",
        .help =
            "Messages of users, and answers, that a mailbox accepted: from the actors and timers "
            "of the system, and from other threads; and news that an ask gets no answer.",
        .total = internal::member_of<&metrics_snapshot::messages_sent>},
    metric{.name = "actor.messages_handled_total",
           .help = "Messages of users, and answers, for which a handler or a continuation was "
                   "called, also "
                   "if it failed; and news that an ask gets no answer. A stashed message counts "
                   "when it is replayed.",
           .total = internal::member_of<&metrics_snapshot::messages_handled>},
    metric{.name = "actor.messages_cancelled_total",
           .help = "Messages of timers that a mailbox accepted and no handler got: the timer was "
                   "cancelled meanwhile, or its message could not be made.",
           .total = internal::member_of<&metrics_snapshot::messages_cancelled>},
    metric{.name = "actor.messages_lost_total",
           .help = "Dead letters that a mailbox had accepted: their actor stopped before it "
                   "handled them, had no handler for them, or they were evicted or dropped.",
           .total = internal::member_of<&metrics_snapshot::messages_lost>},
    metric{.name = "actor.messages_refused_total",
           .help = "Dead letters that no mailbox had accepted.",
           .total = internal::messages_refused},
    metric{.name = "actor.messages_waiting",
           .kind = metric_kind::gauge,
           .help = "Messages that wait in mailboxes and stashes, or are being handled: those "
                   "accepted, less those handled, cancelled and lost.",
           .total = internal::messages_waiting},
    metric{.name = "actor.system_messages_handled_total",
           .help = "System messages that actors processed.",
           .total = internal::member_of<&metrics_snapshot::system_messages_handled>},
    metric{.name = "actor.started_total",
           .help = "Actors that were started.",
           .total = internal::member_of<&metrics_snapshot::actors_started>},
    metric{.name = "actor.stopped_total",
           .help = "Actors that have stopped.",
           .total = internal::member_of<&metrics_snapshot::actors_stopped>},
    metric{.name = "actor.alive",
           .kind = metric_kind::gauge,
           .help = "Actors that have started and not stopped.",
           .total = internal::actors_alive},
    metric{.name = "actor.failures_total",
           .help = "Handlers and hooks that failed.",
           .total = internal::member_of<&metrics_snapshot::failures>},
    metric{.name = "actor.restarts_total",
           .help = "Failed actors that were replaced by a fresh instance.",
           .total = internal::member_of<&metrics_snapshot::restarts>},
    metric{.name = "actor.suspensions_total",
           .help = "Changes of an actor from running to suspended.",
           .total = internal::member_of<&metrics_snapshot::suspensions>},
    metric{.name = "actor.resumes_total",
           .help = "Changes of an actor from suspended to running.",
           .total = internal::member_of<&metrics_snapshot::resumes>},
    metric{.name = "actor.suspended.duration_total",
           .unit = metric_unit::nanoseconds,
           .help = "How long all suspensions were that have ended.",
           .total = internal::member_of<&metrics_snapshot::suspended_ns>},
    metric{.name = "actor.resume.latency_total",
           .unit = metric_unit::nanoseconds,
           .help = "Time from the request to resume an actor until it runs, of all resumes with a "
                   "request.",
           .total = internal::member_of<&metrics_snapshot::resume_latency_ns>},
    metric{
        .name = "actor.resume.timed_total",
        .help =
            "Resumes whose latency is in actor.resume.latency_total; none: it is absent, not zero.",
        .total = internal::member_of<&metrics_snapshot::resumes_timed>},
    metric{.name = "actor.mailbox.pressure_total",
           .help = "How often a mailbox reached its pressure_at.",
           .total = internal::member_of<&metrics_snapshot::mailbox_pressure>},
    // dead letters
    metric{.name = "dead_letters_total",
           .labels = "reason",
           .help = "Messages that no actor handled.",
           .total = internal::all_dead_letters},
    metric{.name = "dead_letters_suppressed_total",
           .help = "Dead letters counted but not published: their type has suppress_dead_letter.",
           .total = internal::member_of<&metrics_snapshot::dead_letters_suppressed>},
    metric{.name = "events.refused_total",
           .help = "Copies of events that the mailbox of a subscriber refused: it was full, or its "
                   "actor had stopped.",
           .total = internal::member_of<&metrics_snapshot::events_refused>},
    // workers
    metric{.name = "scheduler.turns_total",
           .help = "Turns: how often a worker ran an actor.",
           .total = internal::member_of<&metrics_snapshot::turns>},
    metric{.name = "scheduler.yields_total",
           .help = "Turns that ended with messages left.",
           .total = internal::member_of<&metrics_snapshot::yields>},
    metric{.name = "scheduler.ready_queue.depth",
           .kind = metric_kind::gauge,
           .help = "Actors that wait for a worker.",
           .total = internal::member_of<&metrics_snapshot::ready_queue_depth>},
    metric{.name = "scheduler.workers",
           .kind = metric_kind::gauge,
           .help = "Threads of the pool that run actors, with those that are about to end.",
           .total = internal::member_of<&metrics_snapshot::workers>},
    metric{.name = "scheduler.workers_draining",
           .kind = metric_kind::gauge,
           .help = "Threads of the pool that finish their turn and end.",
           .total = internal::member_of<&metrics_snapshot::workers_draining>},
    metric{
        .name = "scheduler.ready_queue.memory",
        .unit = metric_unit::bytes,
        .kind = metric_kind::gauge,
        .help =
            "Bytes of the ready queues and their workers, without what their rings have grown by.",
        .total = internal::member_of<&metrics_snapshot::coordinator_bytes>},
    metric{.name = "actor.registry.memory",
           .unit = metric_unit::bytes,
           .kind = metric_kind::gauge,
           .help = "Bytes of the cells of actors, used or free, of all systems of the program.",
           .total = internal::member_of<&metrics_snapshot::registry_bytes>},
    // timers: the members of `scheduler_metrics`
    metric{.name = "timer.scheduled_total",
           .help = "Timer jobs that were accepted.",
           .total = internal::timer_member<&scheduler_metrics::scheduled_total>},
    metric{.name = "timer.completed_total",
           .help = "Timer jobs that ran to their end.",
           .total = internal::timer_member<&scheduler_metrics::completed_total>},
    metric{.name = "timer.cancelled_total",
           .help = "Timer jobs that were cancelled.",
           .total = internal::timer_member<&scheduler_metrics::cancelled_total>},
    metric{.name = "timer.evicted_total",
           .help = "Timer jobs that were evicted for more urgent jobs.",
           .total = internal::timer_member<&scheduler_metrics::evicted_total>},
    metric{.name = "timer.undeliverable_total",
           .help = "Timer jobs whose message could not be delivered.",
           .total = internal::timer_member<&scheduler_metrics::undeliverable_total>},
    metric{.name = "timer.active",
           .kind = metric_kind::gauge,
           .help = "Timer jobs that have not ended.",
           .total = internal::timer_member<&scheduler_metrics::active_total>},
    metric{.name = "timer.periodic",
           .kind = metric_kind::gauge,
           .help = "Active timer jobs that repeat.",
           .total = internal::timer_member<&scheduler_metrics::periodic_total>},
    metric{.name = "timer.fired_total",
           .help = "How often a timer was due.",
           .total = internal::timer_member<&scheduler_metrics::fired_total>},
    metric{.name = "timer.executed_total",
           .help = "How often a timer's handler started.",
           .total = internal::timer_member<&scheduler_metrics::executed_total>},
    metric{
        .name = "timer.dropped_total",
        .help =
            "Timers that were evicted, undeliverable, or cancelled when already due, and periodic "
            "runs that were refused.",
        .total = internal::timer_member<&scheduler_metrics::dropped_total>},
    metric{.name = "timer.quota_limit",
           .kind = metric_kind::gauge,
           .help = "How many timer jobs may be active.",
           .total = internal::timer_member<&scheduler_metrics::quota_limit>},
    metric{.name = "timer.drift",
           .unit = metric_unit::nanoseconds,
           .kind = metric_kind::gauge,
           .help = "How late the last timer fired.",
           .total = internal::timer_member<&scheduler_metrics::drift_last_ns>},
    metric{.name = "timer.refused_total",
           .help = "Timer jobs that were refused.",
           .total = internal::timer_member<&scheduler_metrics::refused_total>},
    metric{.name = "timer.warnings_total",
           .help = "Warnings of the scheduler.",
           .total = internal::timer_member<&scheduler_metrics::warnings_total>},
    metric{.name = "timer.failures_total",
           .help = "Handlers of timers, and their hooks, that failed.",
           .total = internal::timer_member<&scheduler_metrics::handler_failures_total>},
    metric{.name = "timer.drift_worst",
           .unit = metric_unit::nanoseconds,
           .kind = metric_kind::gauge,
           .help = "How late a timer fired at worst.",
           .total = internal::timer_member<&scheduler_metrics::drift_worst_ns>},
    // times, workers and single actors: only of an `actor_system`, in `metrics_report`
    metric{.name = "actor.mailbox.enqueued_total",
           .level = metrics_level::actor,
           .labels = "actor,mailbox",
           .help = "Messages of users that were put into the mailbox, counted when the actor takes "
                   "them out.",
           .source = metric_source::actor_taken},
    metric{
        .name = "actor.mailbox.depth",
        .kind = metric_kind::gauge,
        .level = metrics_level::actor,
        .labels = "actor",
        .help =
            "Messages of users that wait in mailboxes with a capacity or a pressure_at, or whose "
            "actors are suspended.",
        .source = metric_source::actor_waiting},
    metric{.name = "scheduler.worker.busy_ratio",
           .unit = metric_unit::ratio,
           .kind = metric_kind::gauge,
           .labels = "worker",
           .help = "The share of its life in which a worker had something to run.",
           .source = metric_source::worker_busy_ratio},
    metric{.name = "scheduler.worker.busy_total",
           .unit = metric_unit::nanoseconds,
           .labels = "worker",
           .help = "How long a worker had something to run.",
           .source = metric_source::worker_busy},
    metric{.name = "scheduler.invoke.duration",
           .unit = metric_unit::nanoseconds,
           .kind = metric_kind::histogram,
           .labels = "actor",
           .help = "How long handlers take, sampled: the first handler of one turn in about 500, "
                   "and of the first turn after a pause. The label is there at level actor.",
           .source = metric_source::invoke_duration},
    metric{.name = "scheduler.latency",
           .unit = metric_unit::nanoseconds,
           .kind = metric_kind::histogram,
           .labels = "actor",
           .help =
               "How long messages wait from the send to their handler, sampled: of actors in "
               "measured turns, of other threads one in 256. The label is there at level actor.",
           .source = metric_source::latency},
    metric{.name = "actor.suspended.duration",
           .unit = metric_unit::nanoseconds,
           .kind = metric_kind::histogram,
           .help = "How long suspensions were that have ended.",
           .source = metric_source::suspended},
    metric{.name = "actor.resume.latency",
           .unit = metric_unit::nanoseconds,
           .kind = metric_kind::histogram,
           .help =
               "Time from the request to resume an actor until it runs, of resumes with a request.",
           .source = metric_source::resume_latency},
    metric{.name = "metrics.actors_left_out_total",
           .level = metrics_level::actor,
           .help = "Actors that are under the label _other because there were too many labels.",
           .source = metric_source::labels_left_out},
};

}  // namespace tactor::inline v0
