// SPDX-License-Identifier: BSL-1.0
// What observers see of a system's actors. They send nothing, and no worker waits for them.
#include "tactor/base/text_writer.hpp"
#include "tactor/core/cell/actor_name.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/cell_state.hpp"
#include "tactor/core/cell/lifecycle_word.hpp"
#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/scheduler/dump.hpp"
#include "tactor/core/send/delivery.hpp"
#include "tactor/core/send/waiting_producers.hpp"
#include "tactor/core/system/actor_view.hpp"
#include "tactor/core/system/system_core.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tactor::inline v0::internal {
namespace {

/// What waits, if a sender could know it.
std::optional<std::uint32_t> waiting_in(cell& c, mailbox_limits limits) noexcept {
  if (!limits.bounded()) {
    return c.box.peek().waits_for_mail() ? std::optional<std::uint32_t>{0} : std::nullopt;
  }
  if (locked_queue* const side_queue = c.own_side_queue()) return side_queue->size();
  return c.permits_taken.load(relaxed) & ~awaited_bit;  // relaxed: a number
}

/// Requires: the actor does not end meanwhile.
actor_view view_of(const actor_name& name, const event_text& path, std::uint64_t now_ns) noexcept {
  cell& c = *name.owner;
  const lifecycle_word requests{c.lifecycle.load(relaxed)};  // relaxed: a hint
  const mailbox_limits limits{c.limits.load(relaxed)};       // relaxed: a hint
  const actor_state state = state_of(c, requests.generation());
  actor_view seen{.path = path,
                  .type = c.type->instance.type.name,
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

void system_core::visit_actors(actor_visitor& to) noexcept {
  constexpr std::size_t at_once = port::sizes::actors_at_once;
  const std::uint64_t seen_ns = now_ns();
  for (name_table::position from; !from.at_end;) {
    std::array<actor_view, at_once> seen;
    std::array<held_cell, at_once> held;
    std::size_t count = 0;
    names_.visit_from(from, at_once, [&](const actor_name& name) {
      seen[count] = view_of(name, path_of(name), seen_ns);
      held[count++].take(*name.owner);
    });
    for (std::size_t i = 0; i < count; ++i)  // all of them, before a user's code runs
      held[i].show_in(seen[i], seen_ns);
    for (const actor_view& each : std::span{seen}.first(count))
      if (!to.visit(each)) return;
  }
}

void system_core::dump(dump_format format, text_sink& to, std::size_t most_actors) noexcept {
  class named final : public actor_source {
  public:
    explicit named(system_core& of) noexcept : of_(of) {}
    void show_actors(actor_visitor& visitor) noexcept override { of_.visit_actors(visitor); }

  private:
    system_core& of_;
  } actors{*this};
  dump(format, to, most_actors, actors, metrics(), write_dump);
}

}  // namespace tactor::inline v0::internal
