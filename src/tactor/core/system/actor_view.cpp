// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/system/actor_view.hpp"

#include "tactor/base/text_writer.hpp"
#include "tactor/core/cell/actor_name.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/cell_state.hpp"
#include "tactor/core/cell/lifecycle_word.hpp"
#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/cell/suspend_reasons.hpp"
#include "tactor/core/dispatch/suspend_reason.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/death_watch.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/observe/dump_writer.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/observe/metric_table.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/scheduler/dump.hpp"
#include "tactor/core/scheduler/live_jobs.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/timer_envelope.hpp"
#include "tactor/core/send/waiting_producers.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/core/timing/deadline.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

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
  if (job.word.periodic()) timer.period_ns = job.record->plan()->period_ns;
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

// What observers see of a system's actors. They send nothing, and no worker waits for them.

namespace {

/// Returns how many messages wait, if a sender could know it.
std::optional<std::uint32_t> waiting_in(cell& c, mailbox_limits limits) noexcept {
  if (!limits.bounded()) {
    return c.box.peek().waits_for_mail() ? std::optional<std::uint32_t>{0} : std::nullopt;
  }
  if (locked_queue* const side_queue = c.own_side_queue()) return side_queue->size();
  return permits_taken_of(c);
}

/// Requires: the actor does not end meanwhile.
actor_view view_of(const actor_name& name, const event_text& path, std::uint64_t now_ns) noexcept {
  cell& c = *name.owner;
  const lifecycle_word requests{c.lifecycle.load(relaxed)};  // relaxed: a hint
  const mailbox_limits limits{c.limits.load(relaxed)};       // relaxed: a hint
  const actor_state state = state_of(c, requests.generation());
  actor_view seen{.path = path,
                  .type = running_type(c).instance.type.name,
                  .state = text_of(state, requests),
                  .who = {.slot = c.slot, .generation = requests.generation()},
                  .waiting = waiting_in(c, limits),
                  .capacity = limits.bounded() ? limits.capacity() : 0,
                  .overloaded = limits.overloaded()};
  if (seen.capacity == mailbox_options::most) seen.capacity = 0;  // bounded in name only
  seen.drops_oldest = limits.bounded() && limits.strategy() == overflow_strategy::drop_oldest;
  if (!c.box.peek().waits_for_mail()) seen.oldest_ns = c.oldest_mail.age_ns(now_ns);
  if (const cell* const parent = name.parent; parent != nullptr && !parent->guardian)
    seen.parent = {.slot = parent->slot, .generation = parent->generation()};
  if (state == actor_state::suspended) seen.reasons = c.reasons.all();
  return seen;
}

/// A cell that no worker has, since it is suspended and has nothing to do. Until it is given back,
/// no worker runs it, so it can be read like a worker does, and it does not end.
class held_cell {
public:
  /// Takes the cell if it can be taken.
  void take(cell& c) noexcept {
    if (c.box.try_take_suspended()) cell_ = &c;
  }
  /// Completes what is known of the cell at `now_ns`, and gives it back.
  void show_in(actor_view& seen, std::uint64_t now_ns) noexcept {
    if (cell_ == nullptr) return;
    cell& c = *cell_;
    if (!seen.waiting)
      seen.waiting = static_cast<std::uint32_t>(c.reader.size(c.box, actor_view::most_counted));
    suspension* const record = c.extended ? c.parts->suspension : nullptr;
    if (record != nullptr) seen.suspended_ns = record->times.since();
    if (seen.suspended_ns && seen.waiting != 0 && !seen.drops_oldest) {
      c.oldest_mail.note_seen(now_ns);
      seen.oldest_ns = c.oldest_mail.age_ns(now_ns);
    }
    if (!c.reader.set_idle(c.box)) make_ready(c);  // a request has come meanwhile
  }

private:
  cell* cell_ = nullptr;
};

}  // namespace

void visit_actors(system_core& of, actor_visitor& to) noexcept {
  constexpr std::size_t at_once = port::sizes::actors_at_once;
  const std::uint64_t seen_ns = of.now_ns();
  for (name_table::position from; !from.at_end;) {
    std::array<actor_view, at_once> seen;
    std::array<held_cell, at_once> held;
    std::size_t count = 0;
    of.names().visit_from(from, at_once, [&](const actor_name& name) {
      seen[count] = view_of(name, of.path_of(name), seen_ns);
      held[count++].take(*name.owner);
    });
    for (std::size_t i = 0; i < count; ++i)  // all of them, before a user's code runs
      held[i].show_in(seen[i], seen_ns);
    for (const actor_view& each : std::span{seen}.first(count))
      if (!to.visit(each)) return;
  }
}

// Suspended actors.

namespace {

/// Its index, if it is suspended.
std::optional<mailbox_index> suspended_index(const cell& c) noexcept {
  if (!c.box.peek().suspended()) return std::nullopt;
  const mailbox_index who{.slot = c.slot, .generation = c.generation()};
  return who.generation % 2 != 0 ? std::optional{who} : std::nullopt;  // odd: the slot has a tenant
}
/// The cell after `c` in the family below `top`: its first child, or the next sibling of it or of
/// an ancestor; null: none.
const cell* next_in_family(const cell& c, const cell& top) noexcept {
  if (c.first_child != nullptr) return c.first_child;
  const cell* each = &c;
  while (each != &top && each->next_sibling == nullptr)
    each = each->parent;
  return each == &top ? nullptr : each->next_sibling;
}

}  // namespace

std::size_t find_suspended(const system_core& of, std::span<mailbox_index> out) noexcept {
  std::size_t count = 0;
  const std::uint32_t slots = program_memory.cells.made();
  for (std::uint32_t slot = 0; slot < slots && count < out.size(); ++slot) {
    const cell* const each = program_memory.cells.at(slot);
    // relaxed: only compared
    if (each == nullptr || each->gate.load(relaxed) != of.gate()) continue;
    if (const auto who = suspended_index(*each)) out[count++] = *who;
  }
  return count;
}

std::size_t find_suspended_in_order(const system_core& of, std::span<mailbox_index> out) noexcept {
  std::size_t count = 0;
  const cell& top = of.guardian();
  const cell* each = next_in_family(top, top);
  for (; each != nullptr && count < out.size(); each = next_in_family(*each, top))
    if (const auto who = suspended_index(*each)) out[count++] = *who;
  return count;
}

void dump_system(system_core& of, dump_format format, text_sink& to,
                 std::size_t most_actors) noexcept {
  class named final : public actor_source {
  public:
    explicit named(system_core& of) noexcept : of_(of) {}
    void show_actors(actor_visitor& visitor) noexcept override { visit_actors(of_, visitor); }

  private:
    system_core& of_;
  } actors{of};
  dump_system(of, format, to, most_actors, actors, of.metrics(), write_dump);
}

// The dump of a whole system.

namespace {

/// The names of the reasons, with commas.
event_text text_of(suspend_reasons reasons) noexcept {
  event_text text;
  for (; !reasons.empty(); reasons.remove_first()) {
    if (!text.view().empty()) text.append(",");
    text.append(to_text(reasons.first()));
  }
  return text;
}

/// Writes so many actors.
class dumped_actors final : public actor_visitor {
public:
  dumped_actors(dump_writer& to, std::size_t most) noexcept : out_(to), most_(most) {}

  bool visit(const actor_view& each) noexcept override {
    if (shown_ == most_) return false;
    ++shown_;
    out_.item();
    out_.text("path", each.path.view());
    out_.text("type", each.type);
    out_.word("state", each.state);
    if (!each.reasons.empty()) out_.word("reasons", text_of(each.reasons).view());
    using number = std::optional<std::uint64_t>;
    out_.number("waiting", each.waiting ? number{*each.waiting} : number{});
    out_.end_group();
    return true;
  }
  [[nodiscard]] std::size_t shown() const noexcept { return shown_; }

private:
  dump_writer& out_;
  std::size_t most_;
  std::size_t shown_ = 0;
};

}  // namespace

void dump_system(system_core& of, dump_format format, text_sink& to, std::size_t most_actors,
                 actor_source& shown, const metrics_snapshot& figures,
                 dump_of_timers dump_timers) noexcept {
  const bool json = format == dump_format::json;
  json_writer text{to};
  dump_writer out{text, json ? dump_writer::form::object : dump_writer::form::lines};
  const std::size_t live_now = of.live();
  out.group("system");
  out.text("name", of.name());
  out.word("phase", to_text(of.now_in()));
  out.number("actors", live_now);
  out.number("waiting", figures.waiting());
  out.end_group();

  out.list("actors");
  dumped_actors actors{out, most_actors};
  shown.show_actors(actors);
  out.end_list();
  out.group("left_out");
  out.number("actors", live_now > actors.shown() ? live_now - actors.shown() : 0);
  out.end_group();

  out.group("metrics");
  for (const metric& each : metric_table)
    if (each.total != nullptr) out.number(each.name, each.total(figures));
  out.end_group();
  out.part("timers");
  if (dump_timers != nullptr) dump_timers(out, of.timers(), {});
  out.end();
  out.end();
  if (json) to.write("\n");
}

}  // namespace tactor::inline v0::internal
