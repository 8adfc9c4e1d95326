// SPDX-License-Identifier: BSL-1.0
// The dump of a whole system.
#include "tactor/base/text_writer.hpp"
#include "tactor/core/cell/suspend_reasons.hpp"
#include "tactor/core/dispatch/suspend_reason.hpp"
#include "tactor/core/observe/dump_writer.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/observe/metric_table.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/scheduler/dump.hpp"
#include "tactor/core/system/actor_view.hpp"
#include "tactor/core/system/system_core.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tactor::inline v0::internal {
namespace {

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

void system_core::dump(dump_format format, text_sink& to, std::size_t most_actors,
                       actor_source& shown, const metrics_snapshot& figures,
                       dump_of_timers dump_timers) noexcept {
  const bool json = format == dump_format::json;
  json_writer text{to};
  dump_writer out{text, json ? dump_writer::form::object : dump_writer::form::lines};
  const std::size_t live_now = live();
  out.group("system");
  out.text("name", name());
  out.word("phase", text_of(now_in()));
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
  if (dump_timers != nullptr) dump_timers(out, *timers_, {});
  out.end();
  out.end();
  if (json) to.write("\n");
}

}  // namespace tactor::inline v0::internal
