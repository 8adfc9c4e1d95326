// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/system/actor_inside.hpp"

#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/death_watch.hpp"
#include "tactor/core/scheduler/live_jobs.hpp"
#include "tactor/core/send/delivery.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/timer_envelope.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/core/timing/deadline.hpp"

namespace tactor::inline v0::internal {
namespace {

/// The message that the job sends to `who`; null: it does not.
const message_operations* message_to(cell& who, std::uint32_t generation, const live_job& job) {
  // Not taken over yet: the call that schedules it may still fail, and free the sink.
  if (job.word.state() == timer_state::pending) return nullptr;
  held_sink* const sink = job.record->target().held();
  if (sink == nullptr || sink->receiver() != &who) return nullptr;
  const timer_envelope& timer = static_cast<const timer_envelope&>(*sink);  // no other has a cell
  return timer.generation() == generation ? &timer.message() : nullptr;
}

actor_timer copied(scheduler& of, const live_job& job, const message_operations& message,
                   tick now) noexcept {
  const duration resolution = of.config().timing.resolution;
  const bool is_deadline = &message == &operations_of<deadline_due>;
  actor_timer timer{.message = is_deadline ? std::string_view{} : message.type.name,
                    .due_in_ns = {},
                    .period_ns = {},
                    .mode = job.record->mode(),
                    .job = job.record->id()};
  if (job.word.driven()) {
    const std::uint64_t ticks = job.deadline > now ? job.deadline.count - now.count : 0;
    timer.due_in_ns = ticks * static_cast<std::uint64_t>(resolution.nanoseconds());
  }
  if (job.word.periodic()) timer.period_ns = job.record->extras()->period_ns;
  return timer;
}

/// Shows the requests of the watchers. Returns: false if that is enough.
bool visit_watchers(envelope* newest, inside_visitor& to) noexcept {
  for (envelope* each = newest; each != nullptr; each = each->next.get()) {
    if (is_own_watch(*each)) continue;
    const auto& request = *static_cast<const watch_request*>(payload_of(*each));
    const mailbox_index who{.slot = request.watcher->slot,
                            .generation = request.watcher_generation};
    if (!to.visit_watch(watch_side::watcher, who)) return false;
  }
  return true;
}
/// Shows the actors that are watched. Returns: false if that is enough.
bool visit_watched(envelope* newest, inside_visitor& to) noexcept {
  for (envelope* each = newest; each != nullptr; each = each->next.get()) {
    if (!is_own_watch(*each)) continue;
    const auto& entry = *static_cast<const watch_entry*>(payload_of(*each));
    const auto generation = static_cast<std::uint32_t>(entry.key);
    if (entry.ended || generation == 0) continue;
    const mailbox_index who{.slot = entry.target->slot, .generation = generation};
    if (!to.visit_watch(watch_side::watched, who)) return false;
  }
  return true;
}

/// Shows the keys whose timers are not over.
void show_keys(const keyed_timers& all, inside_visitor& to) noexcept {
  const keyed_timer* each = all.newest;
  if (each == nullptr) return;
  do {
    each = each->next;
    const bool wants_more =
        each->job.is_over() || to.visit_key({.job = each->job.id(), .name = each->name()});
    if (!wants_more) return;
  } while (each != all.newest);
}

void show_kept(const cell& c, inside_visitor& to) noexcept {
  const actor_parts* const parts = parts_or_null(c);
  if (parts == nullptr) return;
  show_keys(parts->timers, to);
  (void)visit_watchers(parts->watches, to);
  (void)visit_watched(parts->watches, to);
}

}  // namespace

void visit_timers(system_core& of, mailbox_index who, inside_visitor& to) noexcept {
  constexpr std::size_t at_once = 64;
  constexpr auto all = static_cast<std::size_t>(-1);
  cell& c = *program_memory.cells.at(who.slot);
  scheduler& timers = of.timers();
  timers.clear_away();  // also takes over what was scheduled lately
  const tick now = tick_at(of.clock().now(), timers.config().timing.resolution);
  bool wants_more = true;
  for (const repetition kind : {repetition::periodic, repetition::once}) {
    (void)for_each_job<at_once>(timers, kind, all, [&](const live_job& job) {
      const message_operations* const message =
          wants_more ? message_to(c, who.generation, job) : nullptr;
      if (message != nullptr) wants_more = to.visit_timer(copied(timers, job, *message, now));
    });
  }
}

bool visit_kept(mailbox_index who, inside_visitor& to) noexcept {
  cell& c = *program_memory.cells.at(who.slot);
  if (c.generation() != who.generation || !c.box.try_take_idle()) return false;
  const bool is_same = c.tenant == who.generation;
  if (is_same) show_kept(c, to);
  if (!c.reader.set_idle(c.box)) make_ready(c);  // a message or a request has come meanwhile
  return is_same;
}

}  // namespace tactor::inline v0::internal
