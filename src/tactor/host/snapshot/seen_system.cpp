// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/snapshot/seen_system.hpp"

#include "tactor/base/json_writer.hpp"
#include "tactor/base/text_writer.hpp"
#include "tactor/core/dispatch/suspend_reason.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/observe/metric_table.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"
#include "tactor/core/system/actor_view.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/host/metrics/health.hpp"
#include "tactor/host/metrics/worker_hub.hpp"
#include "tactor/host/snapshot/actor_window.hpp"
#include "tactor/host/snapshot/incident_parts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tactor::inline v0::internal {
namespace {

/// Holds what is written besides the views of actors.
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
  to.text("phase", to_text(of.now_in()));
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

/// Finds one actor by its path or its number, and the children of this actor.
class one_actor final : public actor_visitor {
public:
  one_actor(std::string_view path, std::size_t most) : path_(path) {
    children_.reserve(std::min(most, snapshot_query::most));
  }
  bool visit(const actor_view& each) noexcept override {
    if (!found_) {
      if (is_wanted(each)) found_ = each;
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
  [[nodiscard]] bool is_wanted(const actor_view& each) const noexcept {
    return path_.starts_with('$') ? number_text(each.who).view() == path_
                                  : each.path.view() == path_;
  }

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

/// Copies what it is shown, into memory that it has already.
class inside_copy final : public inside_visitor {
public:
  explicit inside_copy(std::size_t most) {
    timers.reserve(most);
    watchers.reserve(most);
    watched.reserve(most);
    keys.reserve(most);
  }
  bool visit_timer(const actor_timer& each) noexcept override { return add(timers, each); }
  bool visit_watch(watch_side side, mailbox_index other) noexcept override {
    return add(side == watch_side::watcher ? watchers : watched, other);
  }

  bool visit_key(const actor_timer_key& each) noexcept override { return add(keys, each); }
  /// The key of a timer; null: it has none.
  [[nodiscard]] const timer_key_name* key_of(const actor_timer& timer) const noexcept {
    const auto found = std::ranges::find(keys, timer.job, &actor_timer_key::job);
    return found == keys.end() ? nullptr : &found->name;
  }

  std::vector<actor_timer> timers;
  std::vector<actor_timer_key> keys;
  std::vector<mailbox_index> watchers;
  std::vector<mailbox_index> watched;

private:
  template <class T>
  static bool add(std::vector<T>& to, const T& each) noexcept {
    if (to.size() == to.capacity()) return false;
    to.push_back(each);
    return true;
  }
};

void write_key(json_writer& to, const timer_key_name* key) {
  to.key("key");
  if (key == nullptr) return to.nothing();
  if (key->length == 0) return to.text(std::to_string(static_cast<std::int64_t>(key->number)));
  to.text(key->view());
}

void write_timer(json_writer& to, const actor_timer& of, const timer_key_name* key) {
  to.open('{');
  write_key(to, key);
  to.key("message");
  if (of.message.empty()) {
    to.nothing();
  } else {
    to.text(of.message);
  }
  to.text("mode", to_text(of.mode));
  to.number("due_in_ns", of.due_in_ns);
  to.number("period_ns", of.period_ns);
  to.close('}');
}

void write_paths(json_writer& to, seen_system& of, std::string_view name,
                 const std::vector<mailbox_index>& actors) {
  to.key(name).open('[');
  for (const mailbox_index each : actors)
    to.text(of.path_of(each).view());
  to.close(']');
}

/// Writes the timers of one actor with their keys, its watchers, and whom it watches: at most
/// `most` of each, and null for what cannot be seen now.
void write_inside(json_writer& to, seen_system& of, const actor_view& who, std::size_t most) {
  inside_copy seen{most};
  const inside_sight can_be_seen = of.visit_inside(who.who, seen);
  if (can_be_seen.timers) {
    to.key("timers").open('[');
    for (const actor_timer& each : seen.timers)
      write_timer(to, each, seen.key_of(each));
    to.close(']');
  } else {
    to.key("timers").nothing();
  }
  if (can_be_seen.kept) {
    write_paths(to, of, "watchers", seen.watchers);
    write_paths(to, of, "watched", seen.watched);
  } else {
    to.key("watchers").nothing();
    to.key("watched").nothing();
  }
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
    each.evidence += where_most(each, of.incidents(), before.time_ns);
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
  to.text("phase", to_text(of.now_in()));
  to.number("actors", of.live());
  to.number("waiting", figures.sums.waiting());
  write_handling(to, figures);
  snapshot_query longest = wanted;
  longest.order = actor_order::suspended;
  write_window(to, of, longest, details, "holding");
}

}  // namespace

void write_id(json_writer& to, std::string_view name, mailbox_index of) {
  to.key(name);
  if (of.generation == 0) return to.nothing();
  to.text(number_text(of).view().substr(1));
}

void write_snapshot(seen_system& of, const snapshot_query& wanted, text_sink& to) {
  metrics_report own;
  if (wanted.figures == nullptr) own = of.figures();
  metrics_report& figures = wanted.figures == nullptr ? own : *wanted.figures;
  const recent_incidents& past = of.incidents();
  const actor_details details{figures, past};
  json_writer out{to};
  out.open('{');
  out.number("version", snapshot_version);
  out.text("part", to_text(wanted.part));
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
    write_dead_letters(out, figures.sums, past.dead_letters(), wanted.limit);
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

}  // namespace tactor::inline v0::internal
