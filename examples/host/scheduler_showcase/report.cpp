// SPDX-License-Identifier: BSL-1.0
#include "scheduler_showcase/report.hpp"

#include "tactor/observe.hpp"
#include "tactor/timers.hpp"

#include "scheduler_showcase/snapshot.hpp"
#include "scheduler_showcase/warnings.hpp"
#include "scheduler_showcase/workload.hpp"
#include "screen/text.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

namespace showcase {
namespace {

using tactor::scheduler_event_kind;

template <class Call>
void for_each_warning(const warnings& heard, Call call) {
  for (std::size_t i = 0; i < event_kinds; ++i) {
    const auto kind = static_cast<scheduler_event_kind>(i);
    if (is_warning(kind) && heard.count(kind) > 0) call(name_of(kind), heard.count(kind));
  }
}

/// The members of a JSON object, in order.
class json_object {
public:
  json_object& with(const char* name, const std::string& value) {
    written_ += (written_.empty() ? "\"" : ", \"") + std::string{name} + "\": " + value;
    return *this;
  }
  json_object& with(const char* name, std::uint64_t value) {
    return with(name, std::to_string(value));
  }
  json_object& with(const char* name, bool value) {
    return with(name, std::string{value ? "true" : "false"});
  }
  [[nodiscard]] std::string text() const { return "{" + written_ + "}"; }

private:
  std::string written_;
};

std::string metrics_in_json(const tactor::scheduler_metrics& sums) {
  return json_object{}
      .with("scheduled_total", sums.scheduled_total)
      .with("completed_total", sums.completed_total)
      .with("cancelled_total", sums.cancelled_total)
      .with("evicted_total", sums.evicted_total)
      .with("undeliverable_total", sums.undeliverable_total)
      .with("active_total", sums.active_total)
      .with("periodic_total", sums.periodic_total)
      .with("fired_total", sums.fired_total)
      .with("executed_total", sums.executed_total)
      .with("dropped_total", sums.dropped_total)
      .with("refused_total", sums.refused_total)
      .with("warnings_total", sums.warnings_total)
      .with("handler_failures_total", sums.handler_failures_total)
      .with("quota_limit", sums.quota_limit)
      .with("drift_last_ns", sums.drift_last_ns)
      .with("drift_worst_ns", sums.drift_worst_ns)
      .text();
}

std::string kinds_in_json(const figures& sums) {
  json_object all;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const kind_figures& each = sums.by_kind[kind];
    all.with(descriptions[kind].name, json_object{}
                                          .with("timers", std::uint64_t{descriptions[kind].count})
                                          .with("executions", each.executions)
                                          .with("missed", each.missed)
                                          .with("put_off", each.put_off)
                                          .with("late_p50_ns", each.late.percentile_ns(50))
                                          .with("late_p99_ns", each.late.percentile_ns(99))
                                          .with("late_max_ns", each.late.max_ns())
                                          .text());
  }
  return all.text();
}

}  // namespace

std::string dump_of(const tactor::host::realtime_scheduler& timers, tactor::dump_format format) {
  constexpr std::size_t one_shots = 3;
  std::string text;
  tactor::string_sink sink{text};
  timers.exclusively(
      [&](tactor::scheduler& stopped) { dump(stopped, format, sink, {.one_shots = one_shots}); });
  return text;
}

std::string abridged(const std::string& dump, std::size_t width) {
  constexpr std::size_t shown = 3;
  std::string shorter;
  std::string sort;
  std::size_t alike = 0;
  const auto say_how_many_more = [&] {
    if (alike > shown) shorter += text("  … and %zu more\n", alike - shown);
  };
  std::istringstream lines{dump};
  for (std::string line; std::getline(lines, line);) {
    const std::string its_sort = line.substr(0, line.find(':'));
    if (its_sort != sort) {
      say_how_many_more();
      sort = its_sort;
      alike = 0;
    }
    if (++alike <= shown) shorter += ("  " + line).substr(0, width) + "\n";
  }
  say_how_many_more();
  return shorter;
}

std::string in_words(const outcome& run) {
  constexpr std::size_t widest = 79;
  const tactor::scheduler_metrics& sums = run.last.metrics;
  const own_account& own = run.last.sums.own;
  std::string words =
      "jobs:     scheduled = completed + cancelled + evicted + undeliverable + active\n";
  words +=
      text("          %9llu = %9llu + %9llu + %7llu + %13llu + %6llu\n",
           number(sums.scheduled_total), number(sums.completed_total), number(sums.cancelled_total),
           number(sums.evicted_total), number(sums.undeliverable_total), number(sums.active_total));
  words += text("runs:     %llu due, %llu executed, %llu early\n", number(sums.fired_total),
                number(sums.executed_total), number(own.early));
  words += text("program:  counts %llu scheduled, %llu refused, %llu executed: %s\n",
                number(own.accepted), number(own.refused), number(own.executions),
                agree(sums, own) ? "the same" : "NOT THE SAME");
  words += text("shutdown: %zu timers cancelled; close tasks: %zu run, %zu failed, %zu late\n",
                run.closed.cancelled, run.closed.run, run.closed.failed, run.closed.late);

  std::string line = "warnings:";
  for_each_warning(run.heard, [&](const char* name, std::uint64_t count) {
    const std::string next = text(" %llu %s,", number(count), name);
    if (line.size() + next.size() > widest) {
      words += line + "\n";
      line = "         ";
    }
    line += next;
  });
  line.back() = line.back() == ',' ? '.' : line.back();
  return words + line;
}

std::string in_json(const outcome& run) {
  json_object warned;
  for_each_warning(run.heard,
                   [&](const char* name, std::uint64_t count) { warned.with(name, count); });
  const own_account& own = run.last.sums.own;
  return json_object{}
      .with("seconds", text("%.3f", run.last.run.elapsed.count()))
      .with("resolution_ns",
            static_cast<std::uint64_t>(std::llround(run.last.resolution.count() * 1e9)))
      .with("metrics", metrics_in_json(run.last.metrics))
      .with("kinds", kinds_in_json(run.last.sums))
      .with("warnings", warned.text())
      .with("shutdown", json_object{}
                            .with("cancelled", std::uint64_t{run.closed.cancelled})
                            .with("run", std::uint64_t{run.closed.run})
                            .with("failed", std::uint64_t{run.closed.failed})
                            .with("late", std::uint64_t{run.closed.late})
                            .text())
      .with("program", json_object{}
                           .with("scheduled", own.accepted)
                           .with("refused", own.refused)
                           .with("executed", own.executions)
                           .with("early", own.early)
                           .text())
      .with("balanced", balances(run.last.metrics))
      .with("agrees", agree(run.last.metrics, own))
      .with("dump", run.dump)
      .text();
}

}  // namespace showcase
