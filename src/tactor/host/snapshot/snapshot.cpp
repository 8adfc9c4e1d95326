// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/snapshot/snapshot.hpp"

#include "tactor/base/json_writer.hpp"
#include "tactor/base/text_writer.hpp"
#include "tactor/core/dispatch/suspend_reason.hpp"
#include "tactor/core/observe/dump_writer.hpp"
#include "tactor/core/observe/metric_table.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/scheduler/dump.hpp"
#include "tactor/core/system/actor_view.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/metrics/health.hpp"
#include "tactor/host/metrics/worker_hub.hpp"
#include "tactor/host/running_system.hpp"
#include "tactor/host/snapshot/actor_details.hpp"
#include "tactor/host/snapshot/actor_window.hpp"
#include "tactor/host/snapshot/incident_parts.hpp"
#include "tactor/host/snapshot/inside_parts.hpp"
#include "tactor/host/snapshot/seen_system.hpp"
#include "tactor/host/snapshot/timer_occupancy.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tactor::inline v0 {
namespace {

using internal::actor_details;
using internal::actor_view;
using internal::actor_window;
using internal::json_writer;
using internal::seen_system;
using internal::system_core;
using internal::write_id;

std::string_view part_name(snapshot_part part) noexcept {
  constexpr std::array names{"system",   "actors",   "actor",        "tree",
                             "workers",  "timers",   "dead_letters", "failures",
                             "warnings", "shutdown", "board"};
  return names[static_cast<std::size_t>(part)];
}
std::string_view phase_name(system_phase phase) noexcept {
  constexpr std::array names{"running", "stopping", "draining", "stopped"};
  return names[static_cast<std::size_t>(phase)];
}

/// What is written besides the views of actors.
struct seen_by {
  const actor_details& details;
  std::uint64_t now_ns;
};

void write_actor_view(json_writer& to, const actor_view& of, const seen_by& at) {
  to.open('{');
  write_id(to, "id", of.who);
  write_id(to, "parent", of.parent);
  to.text("path", of.path.view());
  to.text("type", of.type);
  to.text("state", of.state);
  to.key("reasons").open('[');
  for (suspend_reasons rest = of.reasons; !rest.empty(); rest.remove_first())
    to.text(to_text(rest.first()));
  to.close(']');
  std::optional<std::uint64_t> for_ns;
  if (of.suspended_ns) for_ns = at.now_ns > *of.suspended_ns ? at.now_ns - *of.suspended_ns : 0;
  to.number("suspended_for_ns", for_ns);
  to.number("waiting", of.waiting);
  to.number("oldest_ns", of.oldest_ns);
  to.number("capacity", of.capacity == 0 ? std::nullopt : std::optional{of.capacity});
  to.flag("overloaded", of.overloaded);
  to.number("restarts", at.details.restarts_of(of));
  const actor_report* const its = at.details.figures_of(of);
  using number = std::optional<std::uint64_t>;
  to.number("handled", its == nullptr ? number{} : number{its->taken});
  to.number("handler_p99_ns", its == nullptr ? number{} : number{its->duration.quantile(990)});
  to.number("busy_ns", its == nullptr ? number{} : number{actor_details::busy_ns(*its)});
  to.close('}');
}

void write_window(json_writer& to, seen_system& of, const snapshot_query& wanted,
                  const actor_details& details, std::string_view name) {
  actor_window window{wanted, details};
  of.visit_actors(window);
  const seen_by at{.details = details, .now_ns = of.now_ns()};
  to.number("matching", window.matching());
  to.number("offset", wanted.offset);
  to.key(name).open('[');
  for (const actor_window::row& each : window.sorted())
    write_actor_view(to, each.seen, at);
  to.close(']');
}

void write_system(json_writer& to, seen_system& of, const metrics_report& figures) {
  to.text("name", of.name());
  to.text("phase", phase_name(of.now_in()));
  to.text("metrics_level", to_text(figures.level));
  to.number("actors", of.live());
  to.number("waiting", figures.sums.waiting());
  to.number("latency_p99_ns", figures.latency.quantile(990));
  to.number("handler_p99_ns", figures.invoke_duration.quantile(990));
  to.key("sums").open('{');
  for (const metric& each : metric_table)
    if (each.total != nullptr) to.number(each.name, each.total(figures.sums));
  to.close('}');
}

/// Finds one actor by its path, or the children of one actor.
class one_actor final : public internal::actor_visitor {
public:
  one_actor(std::string_view path, std::size_t most) : path_(path) {
    children_.reserve(std::min(most, snapshot_query::most));
  }
  bool visit(const actor_view& each) noexcept override {
    if (!found_) {
      if (each.path.view() == path_) found_ = each;
      return !found_;
    }
    if (each.parent != found_->who) return true;
    ++count_;
    if (children_.size() < children_.capacity()) children_.push_back(each);
    return true;
  }
  [[nodiscard]] const std::optional<actor_view>& found() const noexcept { return found_; }
  [[nodiscard]] std::span<const actor_view> children() const noexcept { return children_; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

private:
  std::string_view path_;
  std::optional<actor_view> found_;
  std::vector<actor_view> children_;
  std::size_t count_ = 0;
};

void write_figures(json_writer& to, const actor_report* of) {
  to.key("figures");
  if (of == nullptr) return to.nothing();
  to.open('{');
  to.text("label", of->label);
  to.number("taken", of->taken);
  to.number("latency_p50_ns", of->latency.quantile(500));
  to.number("latency_p99_ns", of->latency.quantile(990));
  to.number("handler_p50_ns", of->duration.quantile(500));
  to.number("handler_p99_ns", of->duration.quantile(990));
  to.close('}');
}

void write_one(json_writer& to, seen_system& of, const snapshot_query& wanted,
               const actor_details& details) {
  one_actor search{wanted.path, wanted.limit};
  of.visit_actors(search);                      // finds it
  if (search.found()) of.visit_actors(search);  // finds its children
  to.key("actor");
  if (!search.found()) return to.nothing();
  const seen_by at{.details = details, .now_ns = of.now_ns()};
  write_actor_view(to, *search.found(), at);
  write_figures(to, details.figures_of(*search.found()));
  to.number("children_total", search.count());
  to.key("children").open('[');
  for (const actor_view& each : search.children())
    write_actor_view(to, each, at);
  to.close(']');
  write_inside(to, of, *search.found(), std::min(wanted.limit, snapshot_query::most));
}

void write_handling(json_writer& to, const metrics_report& figures) {
  to.key("handling").open('[');
  for (const running_handler& each : figures.handling) {
    to.open('{');
    to.number("worker", std::uint64_t{each.worker});
    to.flag("on_pool", each.on_pool);
    to.text("actor", each.actor);
    to.text("message", each.message);
    to.number("turn", each.turn);
    to.close('}');
  }
  to.close(']');
}

void write_workers(json_writer& to, const worker_counts& pool, const metrics_report& figures) {
  to.key("pool").open('{');
  to.number("spawned", std::uint64_t{pool.spawned});
  to.number("running", std::uint64_t{pool.running});
  to.number("draining", std::uint64_t{pool.draining});
  to.number("stopped", std::uint64_t{pool.stopped});
  to.close('}');
  to.number("ready_queue_depth", figures.sums.ready_queue_depth);
  to.key("workers").open('[');
  for (const worker_report& each : figures.workers) {
    to.open('{');
    to.text("name", each.name);
    to.number("busy_ns", each.busy_ns);
    to.number("idle_ns", each.idle_ns);
    to.close('}');
  }
  to.close(']');
  write_handling(to, figures);
}

void write_warnings(json_writer& to, seen_system& of, const snapshot_query& wanted,
                    metrics_report& figures) {
  if (figures.level < metrics_level::actor) of.add_actors(figures);
  std::optional<metrics_report> recorded;
  if (wanted.before == nullptr) recorded = of.some_time_ago();
  const metrics_report& before = wanted.before != nullptr
                                     ? *wanted.before
                                     : recorded.emplace(recorded.value_or(metrics_report{}));
  auto found = find_warnings(before, figures);
  to.key("warnings").open('[');
  for (health_warning& each : found) {
    each.evidence += internal::where_most(each, of.incidents(), before.time_ns);
    to.open('{');
    to.text("what", to_text(each.what));
    to.text("evidence", each.evidence);
    to.text("advice", each.advice);
    to.close('}');
  }
  to.close(']');
}

/// Every actor that lives holds the system: those that a worker runs, those that are suspended, and
/// those that have most to do are shown.
void write_shutdown(json_writer& to, seen_system& of, const snapshot_query& wanted,
                    const metrics_report& figures, const actor_details& details) {
  to.text("phase", phase_name(of.now_in()));
  to.number("actors", of.live());
  to.number("waiting", figures.sums.waiting());
  write_handling(to, figures);
  snapshot_query longest = wanted;
  longest.order = actor_order::suspended;
  write_window(to, of, longest, details, "holding");
}

/// A system of this program.
template <class Running>
class running_view final : public seen_system {
public:
  explicit running_view(Running& of) noexcept : of_(of), core_(of.core()) {}
  [[nodiscard]] std::string_view name() override { return core_.name(); }
  [[nodiscard]] system_phase now_in() override { return core_.now_in(); }
  [[nodiscard]] std::size_t live() override { return core_.live(); }
  [[nodiscard]] std::uint64_t now_ns() override { return core_.now_ns(); }
  [[nodiscard]] metrics_report figures() override { return of_.full_report(); }
  [[nodiscard]] std::optional<metrics_report> some_time_ago() override {
    return of_.history().some_time_ago(core_.now_ns());
  }
  void add_actors(metrics_report& to) override { internal::add_actors(to, core_); }
  [[nodiscard]] worker_counts workers() override { return of_.workers(); }
  void visit_actors(internal::actor_visitor& to) override { core_.visit_actors(to); }
  internal::inside_sight visit_inside(mailbox_index who, internal::inside_visitor& to) override {
    // Before the timers: a key whose timer is over meanwhile names nothing.
    const bool kept = visit_kept_soon(who, to);
    internal::visit_timers(core_, who, to);
    return {.timers = true, .kept = kept};
  }
  [[nodiscard]] event_text path_of(mailbox_index who) override { return core_.path_for_log(who); }
  [[nodiscard]] std::optional<root_failure> cause() override { return core_.cause(); }
  [[nodiscard]] const internal::recent_incidents& incidents() override { return of_.incidents(); }
  void write_timers(std::size_t limit, json_writer& to) override {
    internal::dump_writer out{to, internal::dump_writer::form::object};
    internal::write_dump(out, core_.timers(), {.one_shots = limit, .periodic = limit});
    out.end();
  }
  void write_occupancy(json_writer& to) override { internal::write_occupancy(to, core_.timers()); }
  void write_board(json_writer& to) override { to.nothing(); }

private:
  /// An actor that runs now may be idle in a moment.
  static bool visit_kept_soon(mailbox_index who, internal::inside_visitor& to) noexcept {
    constexpr int tries = 200;
    for (int i = 0; i < tries; ++i) {
      if (internal::visit_kept(who, to)) return true;
      std::this_thread::yield();
    }
    return false;
  }

  Running& of_;
  system_core& core_;
};

}  // namespace

namespace internal {

void write_id(json_writer& to, std::string_view name, mailbox_index of) {
  to.key(name);
  if (of.generation == 0) return to.nothing();
  to.text(std::to_string(of.slot) + "." + std::to_string(of.generation));
}

void write_snapshot(seen_system& of, const snapshot_query& wanted, text_sink& to) {
  metrics_report own;
  if (wanted.figures == nullptr) own = of.figures();
  metrics_report& figures = wanted.figures == nullptr ? own : *wanted.figures;
  const internal::recent_incidents& past = of.incidents();
  const actor_details details{figures, past};
  json_writer out{to};
  out.open('{');
  out.number("version", snapshot_version);
  out.text("part", part_name(wanted.part));
  out.number("time_ns", figures.time_ns);
  switch (wanted.part) {
  case snapshot_part::system:
    write_system(out, of, figures);
    break;
  case snapshot_part::actors:
    write_window(out, of, wanted, details, "actors");
    break;
  case snapshot_part::actor:
    write_one(out, of, wanted, details);
    break;
  case snapshot_part::tree:
    write_window(out, of, wanted, details, "nodes");
    break;
  case snapshot_part::workers:
    write_workers(out, of.workers(), figures);
    break;
  case snapshot_part::timers:
    out.key("occupancy");
    of.write_occupancy(out);
    out.key("timers");
    of.write_timers(std::min(wanted.limit, snapshot_query::most), out);
    break;
  case snapshot_part::dead_letters:
    write_dead_letters(out, of, figures.sums, past.dead_letters(), wanted.limit);
    break;
  case snapshot_part::failures:
    write_failures(out, of, figures.sums, past.failures(), wanted.limit);
    break;
  case snapshot_part::warnings:
    write_warnings(out, of, wanted, figures);
    break;
  case snapshot_part::shutdown:
    write_shutdown(out, of, wanted, figures, details);
    break;
  case snapshot_part::board:
    out.key("board");
    of.write_board(out);
    break;
  }
  out.close('}');
  to.write("\n");
}

}  // namespace internal

void actor_system::write_snapshot(const snapshot_query& wanted, text_sink& to) const {
  running_view seen{*running_};
  internal::write_snapshot(seen, wanted, to);
}

}  // namespace tactor::inline v0
