// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/views.hpp"

#include "tactor/command/fields.hpp"
#include "tactor/command/printable.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace command {
namespace {

using nlohmann::json;
using number = std::optional<std::uint64_t>;
constexpr auto left = table::align::left;
constexpr auto right = table::align::right;

/// Returns: a number that every console sends; 0 if it is missing.
std::string count_in(const json& of, const char* name) {
  return std::to_string(number_in(of, name).value_or(0));
}
std::string name_or_dash(const json& of, const char* name) {
  const std::string text = text_in(of, name);
  return text.empty() ? "-" : text;
}
/// Returns: the time since an entry was made.
std::string age_of(const json& entry, number now_ns) {
  const number then_ns = number_in(entry, "time_ns");
  if (!then_ns || !now_ns) return "-";
  return duration_text(*now_ns > *then_ns ? *now_ns - *then_ns : 0);
}

/// Returns: the texts of a list, "a, b".
std::string joined(const json& list) {
  std::string all;
  for (const json& each : list)
    if (each.is_string()) all += (all.empty() ? "" : ", ") + each.get<std::string>();
  return all;
}

/// "suspended (backpressure, user_defined) for 3s".
std::string state_of(const json& actor) {
  std::string text = text_in(actor, "state");
  if (const std::string reasons = joined(list_in(actor, "reasons")); !reasons.empty())
    text += " (" + reasons + ")";
  if (const std::optional<std::uint64_t> for_ns = number_in(actor, "suspended_for_ns"))
    text += " for " + duration_text(*for_ns);
  return text;
}

/// "3", "3/100" if the mailbox is bounded.
std::string waiting_in(const json& actor) {
  std::string text = short_number(number_in(actor, "waiting"));
  if (const std::optional<std::uint64_t> capacity = number_in(actor, "capacity"))
    text += "/" + short_number(capacity);
  return text;
}

void add(lines& to, const lines& more) {
  to.insert(to.end(), more.begin(), more.end());
}
/// Adds the rows of a list, if it has any, below an empty line.
void add_list(lines& to, const json& list, lines (*rows_of)(const json&)) {
  if (list.empty()) return;
  to.emplace_back();
  add(to, rows_of(list));
}

/// Returns: the least time that the oldest message has waited.
std::string oldest_in(const json& actor) {
  const number ns = number_in(actor, "oldest_ns");
  return ns ? ">=" + duration_text(ns) : "-";
}

lines actor_rows(const json& actors) {
  table rows{{{"ID", left},
              {"WAITING", right},
              {"OLDEST", right},
              {"RESTARTS", right},
              {"HANDLED", right},
              {"P99", right},
              {"STATE", left},
              {"PATH", left},
              {"TYPE", left}}};
  for (const json& each : actors)
    rows.add({text_in(each, "id"), waiting_in(each), oldest_in(each),
              short_number(number_in(each, "restarts")), short_number(number_in(each, "handled")),
              duration_text(number_in(each, "handler_p99_ns")), state_of(each),
              text_in(each, "path"), text_in(each, "type")});
  return rows.lines();
}

/// Draws nodes below their parents. A node whose parent is not in the list is at the top.
class tree_lines {
public:
  explicit tree_lines(const json& nodes) {
    std::set<std::string> ids;
    for (const json& each : nodes)
      ids.insert(text_in(each, "id"));
    for (const json& each : nodes) {
      const std::string parent = text_in(each, "parent");
      const bool on_top = !ids.contains(parent) || parent == text_in(each, "id");
      (on_top ? roots_ : below_[parent]).push_back(&each);
    }
    for (const json* each : roots_)
      write(*each);
  }
  [[nodiscard]] lines take() { return std::move(drawn_); }

private:
  struct step {
    const json* node;
    std::string before;  // of its line
    std::string below;   // before the lines of its children
    std::string name;
  };

  static std::string last_segment(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == path.npos ? path : path.substr(slash + 1);
  }
  static std::string notes_of(const json& node) {
    std::string text;
    if (const std::string state = state_of(node); state != "running") text += "  " + state;
    if (const std::optional<std::uint64_t> waiting = number_in(node, "waiting");
        waiting && *waiting > 0)
      text += "  waiting " + waiting_in(node);
    if (const std::optional<std::uint64_t> restarts = number_in(node, "restarts");
        restarts && *restarts > 0)
      text += "  restarts " + std::to_string(*restarts);
    return text;
  }
  void write(const json& root) {
    std::vector<step> open{
        {.node = &root, .before = "", .below = "", .name = text_in(root, "path")}};
    while (!open.empty()) {
      const step now = std::move(open.back());
      open.pop_back();
      drawn_.push_back(now.before + printable(now.name + notes_of(*now.node)));
      const auto entry = below_.find(text_in(*now.node, "id"));
      if (entry == below_.end()) continue;
      const bool is_deep = now.below.size() > 500;  // from here on lines do not move to the right
      // Taken out, so that a cycle of parents ends.
      const std::vector<const json*> children = std::exchange(entry->second, {});
      for (std::size_t i = children.size(); i > 0; --i) {
        const bool last = i == children.size();
        open.push_back({.node = children[i - 1],
                        .before = now.below + (last ? "└─ " : "├─ "),
                        .below = now.below + (is_deep ? ""
                                              : last  ? "   "
                                                      : "│  "),
                        .name = last_segment(text_in(*children[i - 1], "path"))});
      }
    }
  }

  std::vector<const json*> roots_;
  std::map<std::string, std::vector<const json*>> below_;
  lines drawn_;
};

/// Says how much of a list is shown.
void add_window(lines& to, const json& part, const json& shown) {
  const std::uint64_t matching = number_in(part, "matching").value_or(0);
  if (matching <= shown.size()) return;
  to.push_back(std::to_string(shown.size()) + " of " + std::to_string(matching) +
               " actors; --limit and --offset show more");
}

void add_not_recorded(lines& to, const json& part, std::string_view what) {
  if (const std::uint64_t missed = number_in(part, "not_recorded").value_or(0); missed > 0)
    to.push_back(std::to_string(missed) + " further " + std::string{what} +
                 " came while the list was in use: they are only counted");
}

lines handling_rows(const json& handling) {
  table rows{{{"WORKER", right}, {"TURN", right}, {"HANDLES", left}, {"ACTOR", left}}};
  for (const json& each : handling)
    rows.add({count_in(each, "worker"), count_in(each, "turn"), name_or_dash(each, "message"),
              text_in(each, "actor")});
  return rows.lines();
}

void add_jobs(lines& to, const json& jobs, const char* heading, number position) {
  if (jobs.empty()) return;
  table rows{
      {{heading, left}, {"MODE", left}, {"STATE", left}, {"PRIORITY", left}, {"IN TICKS", right}}};
  for (const json& each : jobs) {
    const number next = number_in(each, "next_tick");
    const bool known = next && position;
    rows.add({text_in(each, "id"), text_in(each, "mode"), text_in(each, "state"),
              text_in(each, "priority"),
              known ? std::to_string(*next > *position ? *next - *position : 0) : "-"});
  }
  to.emplace_back();
  add(to, rows.lines());
}

/// Returns: paths of actors, or a remark that they cannot be seen now.
std::string paths_in(const json& actor, const char* name) {
  const json& list = field(actor, name);
  if (!list.is_array()) return "- (a worker runs it: seen when it is idle or suspended)";
  const std::string all = joined(list);
  return all.empty() ? "none" : all;
}

lines timer_rows(const json& timers) {
  table all{{{"TIMER", left}, {"KEY", left}, {"DUE IN", right}, {"EVERY", right}}};
  for (const json& each : timers) {
    const bool is_own = !field(each, "message").is_string();
    const auto due = number_in(each, "due_in_ns");
    const auto period = number_in(each, "period_ns");
    all.add({is_own ? "own deadline" : text_in(each, "message"), name_or_dash(each, "key"),
             due ? duration_text(due) : "waits", period ? duration_text(period) : "once"});
  }
  return all.lines();
}

lines system_view(const json& system) {
  const json& sums = field(system, "sums");
  return {printable("system    " + text_in(system, "name") + ", " + text_in(system, "phase")),
          printable("actors    " + count_in(system, "actors")),
          "messages  " + count_in(sums, "actor.messages_sent_total") + " sent, " +
              count_in(sums, "actor.messages_handled_total") + " handled, " +
              count_in(system, "waiting") + " waiting, " + count_in(sums, "dead_letters_total") +
              " dead letters",
          "failures  " + count_in(sums, "actor.failures_total") + ", restarts " +
              count_in(sums, "actor.restarts_total"),
          "p99       latency " + duration_text(number_in(system, "latency_p99_ns")) + ", handler " +
              duration_text(number_in(system, "handler_p99_ns")),
          printable("metrics   level " + text_in(system, "metrics_level"))};
}

lines actors_view(const json& actors) {
  const json& all = list_in(actors, "actors");
  lines page = actor_rows(all);
  add_window(page, actors, all);
  return page;
}

lines tree_view(const json& tree) {
  const json& nodes = list_in(tree, "nodes");
  if (nodes.empty()) return {"no actors"};
  lines page = tree_lines{nodes}.take();
  add_window(page, tree, nodes);
  return page;
}

lines actor_view(const json& actor) {
  const json& one = field(actor, "actor");
  if (!one.is_object()) return {"there is no such actor"};
  lines page;
  const auto add_line = [&](std::string name, const std::string& text) {
    name.resize(10, ' ');
    page.push_back(name + printable(text));
  };
  add_line("path", text_in(one, "path"));
  add_line("id", text_in(one, "id"));
  add_line("parent", name_or_dash(one, "parent"));
  add_line("type", text_in(one, "type"));
  add_line("state", state_of(one) + (flag_in(one, "overloaded") ? ", overloaded" : ""));
  add_line("waiting", waiting_in(one));
  if (number_in(one, "oldest_ns")) add_line("oldest", "message waits for " + oldest_in(one));
  add_line("restarts", short_number(number_in(one, "restarts")));
  if (const json& figures = field(actor, "figures"); figures.is_object()) {
    add_line("label", text_in(figures, "label"));
    add_line("handled", count_in(figures, "taken"));
    add_line("latency", "p50 " + duration_text(number_in(figures, "latency_p50_ns")) + ", p99 " +
                            duration_text(number_in(figures, "latency_p99_ns")));
    add_line("handler", "p50 " + duration_text(number_in(figures, "handler_p50_ns")) + ", p99 " +
                            duration_text(number_in(figures, "handler_p99_ns")));
  } else {
    add_line("figures", "- (measured at metrics level actor)");
  }
  add_line("watchers", paths_in(actor, "watchers"));
  add_line("watches", paths_in(actor, "watched"));
  add_line("children", count_in(actor, "children_total"));
  add_list(page, list_in(actor, "children"), actor_rows);
  add_list(page, list_in(actor, "timers"), timer_rows);
  return page;
}

lines workers_view(const json& workers) {
  const json& pool = field(workers, "pool");
  lines page{"workers " + count_in(pool, "running") + ", draining " + count_in(pool, "draining") +
                 ", ready actors " + count_in(workers, "ready_queue_depth"),
             ""};
  table all{{{"WORKER", left}, {"BUSY", right}, {"BUSY FOR", right}, {"IDLE FOR", right}}};
  for (const json& each : list_in(workers, "workers")) {
    const std::uint64_t busy = number_in(each, "busy_ns").value_or(0);
    const std::uint64_t idle = number_in(each, "idle_ns").value_or(0);
    const double lived = static_cast<double>(busy) + static_cast<double>(idle);
    const auto percent =
        lived == 0 ? 0U : static_cast<unsigned>(100.0 * static_cast<double>(busy) / lived);
    all.add({text_in(each, "name"), std::to_string(percent) + "%", duration_text(busy),
             duration_text(idle)});
  }
  add(page, all.lines());
  add_list(page, list_in(workers, "handling"), handling_rows);
  return page;
}

lines timers_view(const json& timers) {
  const json& all = field(timers, "timers");
  const json& wheel = field(all, "wheel");
  const json& figures = field(all, "metrics");
  const number position = number_in(wheel, "position");
  lines page{
      "active " + count_in(figures, "active_total") + " of " + count_in(figures, "quota_limit") +
          ", periodic " + count_in(figures, "periodic_total") + ", in the overflow " +
          count_in(field(all, "overflow"), "size"),
      "fired " + count_in(figures, "fired_total") + ", cancelled " +
          count_in(figures, "cancelled_total") + ", dropped " + count_in(figures, "dropped_total") +
          ", refused " + count_in(figures, "refused_total"),
      "late by " + duration_text(number_in(figures, "drift_last_ns")) + ", at most " +
          duration_text(number_in(figures, "drift_worst_ns"))};
  add_jobs(page, list_in(all, "periodic"), "PERIODIC", position);
  add_jobs(page, list_in(all, "one_shots"), "ONE-SHOT", position);
  if (const auto more = number_in(field(all, "left_out"), "one_shots"); more && *more > 0)
    page.push_back(std::to_string(*more) + " more; --limit shows more");
  return page;
}

lines dead_letters_view(const json& dead_letters) {
  lines page{count_in(dead_letters, "total") + " dead letters, " +
             count_in(dead_letters, "suppressed") + " of them suppressed"};
  if (const json& reasons = field(dead_letters, "by_reason"); reasons.is_object())
    for (const auto& [name, count] : reasons.items())
      if (count.is_number_unsigned() && count.get<std::uint64_t>() > 0)
        page.push_back(printable("  " + name + " " + std::to_string(count.get<std::uint64_t>())));
  if (const json& recent = list_in(dead_letters, "recent"); !recent.empty()) {
    table all{
        {{"AGO", right}, {"REASON", left}, {"MESSAGE", left}, {"TARGET", left}, {"SENDER", left}}};
    const number now_ns = number_in(dead_letters, "time_ns");
    for (const json& each : recent)
      all.add({age_of(each, now_ns), text_in(each, "reason"), text_in(each, "message"),
               name_or_dash(each, "target"), name_or_dash(each, "sender")});
    page.emplace_back();
    add(page, all.lines());
  }
  add_not_recorded(page, dead_letters, "dead letters");
  return page;
}

lines failures_view(const json& failures) {
  lines page{count_in(failures, "failures") + " failures, " + count_in(failures, "restarts") +
             " restarts"};
  if (const json& cause = field(failures, "cause_of_the_end"); cause.is_object())
    page.push_back(printable("the system was stopped by " + text_in(cause, "path") + ": " +
                             text_in(cause, "text")));
  if (const json& recent = list_in(failures, "recent"); !recent.empty()) {
    table all{{{"AGO", right},
               {"DECISION", left},
               {"RESTARTS", right},
               {"PATH", left},
               {"MESSAGE", left},
               {"FAILURE", left}}};
    const number now_ns = number_in(failures, "time_ns");
    for (const json& each : recent) {
      const std::string thrown = text_in(each, "thrown");
      all.add({age_of(each, now_ns), text_in(each, "decision"), count_in(each, "restarts"),
               text_in(each, "path"), name_or_dash(each, "message"),
               (thrown.empty() ? "" : thrown + ": ") + text_in(each, "text")});
    }
    page.emplace_back();
    add(page, all.lines());
  }
  add_not_recorded(page, failures, "failures");
  return page;
}

lines shutdown_view(const json& shutdown) {
  lines page{printable("phase " + text_in(shutdown, "phase") + ", " + count_in(shutdown, "actors") +
                       " actors, " + count_in(shutdown, "waiting") + " messages waiting")};
  add_list(page, list_in(shutdown, "handling"), handling_rows);
  const json& holding = list_in(shutdown, "holding");
  add_list(page, holding, actor_rows);
  if (!holding.empty()) add_window(page, shutdown, holding);
  return page;
}

}  // namespace

lines warnings_view(const json& warnings) {
  const json& all = list_in(warnings, "warnings");
  if (all.empty()) return {"no warnings"};
  lines page;
  for (const json& each : all) {
    page.push_back(printable(text_in(each, "what") + ": " + text_in(each, "evidence")));
    page.push_back(printable("  advice: " + text_in(each, "advice")));
  }
  return page;
}

lines actions_view(const json& console) {
  const json& all = list_in(console, "program_actions");
  if (all.empty()) return {"the program has no actions"};
  lines page;
  for (const json& each : all)
    page.push_back(printable(text_in(each, "name") + ": " + text_in(each, "description")));
  return page;
}

lines view_of(const json& part) {
  using view = lines (*)(const json&);
  constexpr std::array<std::pair<std::string_view, view>, 10> views{
      {{"system", system_view},
       {"actors", actors_view},
       {"actor", actor_view},
       {"tree", tree_view},
       {"workers", workers_view},
       {"timers", timers_view},
       {"dead_letters", dead_letters_view},
       {"failures", failures_view},
       {"warnings", warnings_view},
       {"shutdown", shutdown_view}}};
  const std::string name = text_in(part, "part");
  for (const auto& [each, write] : views)
    if (each == name) return write(part);
  return {printable("this command does not know the part '" + name + "'")};
}

}  // namespace command
