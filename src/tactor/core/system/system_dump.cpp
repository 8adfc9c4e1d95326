// SPDX-License-Identifier: BSL-1.0
// The dump of a whole system.
#include "tactor/base/text_sink.hpp"
#include "tactor/core/actor/cell/actor_name.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/cell_state.hpp"
#include "tactor/core/actor/cell/lifecycle_word.hpp"
#include "tactor/core/actor/cell/mailbox_limits.hpp"
#include "tactor/core/actor/cell/waiting_producers.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/observe/dump_writer.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/observe/metric_table.hpp"
#include "tactor/core/scheduler/dump.hpp"
#include "tactor/core/system/system_core.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tactor::inline v0::internal {
namespace {

/// What a dump says of an actor, copied under the lock: the sink is user code.
struct dumped_actor {
  event_text path;
  std::string_view type;
  std::string_view state;
  std::optional<std::uint32_t> waiting;  // nothing: not empty, and its mailbox does not count
};

std::string_view text_of_state(const cell& c) noexcept {
  const lifecycle_word requests{c.lifecycle.load(relaxed)};  // relaxed: a hint
  switch (state_of(c, requests.generation())) {
  case actor_state::running:
    return requests.drain_requested() ? "draining" : "running";
  case actor_state::suspended:
    return "suspended";
  case actor_state::stopping:
    return "stopping";
  case actor_state::stopped:
    break;
  }
  return "stopped";
}

std::optional<std::uint32_t> waiting_in(cell& c) noexcept {
  const mailbox_limits limits{c.limits.load(relaxed)};  // relaxed: a hint
  if (!limits.bounded()) {
    const mailbox_word box = c.box.peek();
    const bool empty = box.idle() && !box.suspended();
    return empty ? std::optional<std::uint32_t>{0} : std::nullopt;
  }
  if (locked_queue* const side_queue = c.own_side_queue()) return side_queue->size();
  return c.waiting.load(relaxed) & ~awaited_bit;  // relaxed: a number
}

std::string_view text_of(system_core::phase now) noexcept {
  switch (now) {
  case system_core::phase::running:
    return "running";
  case system_core::phase::stopping:
    return "stopping";
  case system_core::phase::draining:
    return "draining";
  case system_core::phase::stopped:
    break;
  }
  return "stopped";
}

void write(dump_writer& out, const dumped_actor& each) noexcept {
  out.item();
  out.text("path", each.path.view());
  out.text("type", each.type);
  out.word("state", each.state);
  if (each.waiting) {
    out.number("waiting", *each.waiting);
  } else {
    out.absent("waiting");
  }
  out.end_group();
}

}  // namespace

void system_core::dump(dump_format format, text_sink& to, std::size_t most_actors) noexcept {
  using json = dump_writer::json;
  dump_writer out{format == dump_format::json ? json::yes : json::no, to};
  const std::size_t live_now = live();
  out.group("system");
  out.text("name", config_.name);
  out.word("phase", text_of(now_in()));
  out.number("actors", live_now);
  out.end_group();

  out.list("actors");
  std::size_t shown = 0;
  bool more = true;
  for (std::size_t part = 0; more && shown < most_actors; ++part) {
    std::array<dumped_actor, 4> found;  // a part has few names
    std::size_t count = 0;
    more = names_.names_of_part(part, [&](const actor_name& name) {
      if (count == found.size() || shown + count == most_actors) return;
      cell& c = *name.owner;
      found[count++] = {.path = path_of(name),
                        .type = c.type->instance.type.name,
                        .state = text_of_state(c),
                        .waiting = waiting_in(c)};
    });
    for (const dumped_actor& each : std::span{found}.first(count))
      write(out, each);
    shown += count;
  }
  out.end_list();
  out.group("left_out");
  out.number("actors", live_now > shown ? live_now - shown : 0);
  out.end_group();

  const metrics_snapshot figures = metrics();
  out.group("metrics");
  for (const metric& each : metric_table)
    if (each.total != nullptr) out.number(each.name, each.total(figures));
  out.end_group();
  out.part("timers");
  tactor::dump(timers_, format, to);
  out.end();
}

}  // namespace tactor::inline v0::internal
