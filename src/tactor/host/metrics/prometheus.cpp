// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/metrics/prometheus.hpp"

#include "tactor/base/utf8.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/log_histogram.hpp"
#include "tactor/core/observe/metrics_level.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactor::inline v0 {
namespace {

constexpr std::string_view total_suffix = "_total";

std::string_view suffix_of(metric_unit unit) noexcept {
  switch (unit) {
  case metric_unit::nanoseconds:
    return "_seconds";
  case metric_unit::bytes:
    return "_bytes";
  case metric_unit::count:
  case metric_unit::ratio:
    break;
  }
  return "";
}

std::string_view text_of_kind(metric_kind kind) noexcept {
  switch (kind) {
  case metric_kind::counter:
    return "counter";
  case metric_kind::gauge:
    return "gauge";
  case metric_kind::histogram:
    break;
  }
  return "histogram";
}

std::string text_of_number(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), static_cast<std::size_t>(end.ptr - text.data())};
}

/// The value of a label, in quotes. What is not UTF-8 is written as U+FFFD: one such byte, for
/// example of a name that was truncated, would make the whole text invalid.
std::string quoted(std::string_view text) {
  std::string out{"\""};
  while (!text.empty()) {
    const std::size_t length = internal::utf8_length(text);
    const std::string_view each = text.substr(0, length == 0 ? 1 : length);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (each == "\n") {
      out += "\\n";
    } else {
      if (each == "\"" || each == "\\") out += '\\';
      out += each;
    }
    text.remove_prefix(each.size());
  }
  return out += '"';
}

std::string label(std::string_view name, std::string_view value) {
  return std::string{name} + "=" + quoted(value);
}

/// Writes the lines of one family.
class family {
public:
  family(const metric& of, text_sink& to) : of_(of), to_(to), name_(prometheus_name(of)) {
    to_.write("# HELP " + name_ + " " + std::string{of.help} + "\n");
    to_.write("# TYPE " + name_ + " " + std::string{text_of_kind(of.kind)} + "\n");
  }

  /// A value in the unit of the table; `labels` without braces.
  void value(std::uint64_t value, const std::string& labels = {}) {
    line("", labels, of_.unit == metric_unit::nanoseconds ? seconds(value) : std::to_string(value));
  }
  void ratio(double value, const std::string& labels) { line("", labels, text_of_number(value)); }
  /// Buckets end at every power of two from 1 µs to 17 minutes: a quantile is known to a factor of
  /// two.
  void histogram(const histogram_counts& of, const std::string& labels = {}) {
    constexpr unsigned first = 10;
    constexpr unsigned last = 40;
    const std::string before = labels.empty() ? "" : labels + ",";
    for (unsigned power = first; power <= last; ++power) {
      const std::uint64_t end = std::uint64_t{1} << power;
      line("_bucket", before + label("le", seconds(end)), std::to_string(of.below(end)));
    }
    line("_bucket", before + label("le", "+Inf"), std::to_string(of.size()));
    line("_sum", labels, seconds(of.sum));
    line("_count", labels, std::to_string(of.size()));
  }

private:
  static std::string seconds(std::uint64_t ns) {
    return text_of_number(static_cast<double>(ns) / 1e9);
  }
  void line(std::string_view suffix, const std::string& labels, const std::string& value) {
    const std::string braces = labels.empty() ? "" : "{" + labels + "}";
    to_.write(name_ + std::string{suffix} + braces + " " + value + "\n");
  }

  const metric& of_;
  text_sink& to_;
  std::string name_;
};

void write_sum(family& to, const metric& of, const metrics_snapshot& sums) {
  if (of.labels != "reason") return to.value(of.total(sums));
  for (std::size_t i = 0; i < drop_reasons; ++i)
    to.value(sums.dead_letters[i], label("reason", to_text(static_cast<drop_reason>(i))));
}

/// Writes a family for each actor at level `actor`, else for all of them together.
void write_times(family& to, const metrics_report& figures, const histogram_counts& all,
                 histogram_counts actor_report::* of_actor) {
  if (!is_measured(metrics_level::actor, figures.level)) return to.histogram(all);
  for (const actor_report& each : figures.actors)
    to.histogram(each.*of_actor, label("actor", each.label));
}

void write_family(const metric& of, const metrics_report& figures, text_sink& sink) {
  family to{of, sink};
  switch (of.source) {
  case metric_source::sums:
    return write_sum(to, of, figures.sums);
  case metric_source::invoke_duration:
    return write_times(to, figures, figures.invoke_duration, &actor_report::duration);
  case metric_source::latency:
    return write_times(to, figures, figures.latency, &actor_report::latency);
  case metric_source::suspended:
    return to.histogram(figures.suspended);
  case metric_source::resume_latency:
    return to.histogram(figures.resume_latency);
  case metric_source::worker_busy_ratio:
    for (const worker_report& each : figures.workers)
      to.ratio(each.busy_ratio(), label("worker", each.name));
    return;
  case metric_source::worker_busy:
    for (const worker_report& each : figures.workers)
      to.value(each.busy_ns, label("worker", each.name));
    return;
  case metric_source::actor_taken:
    for (const actor_report& each : figures.actors)
      to.value(each.taken, label("actor", each.label) + "," + label("mailbox", "user"));
    return;
  case metric_source::actor_waiting:
    for (const actor_report& each : figures.actors)
      if (each.waiting) to.value(*each.waiting, label("actor", each.label));
    return;
  case metric_source::labels_left_out:
    return to.value(figures.labels_left_out);
  }
}

}  // namespace

std::string prometheus_name(const metric& of) {
  std::string name{"tactor_"};
  for (const char each : of.name)
    name += each == '.' ? '_' : each;
  const bool total = name.ends_with(total_suffix);
  if (total) name.resize(name.size() - total_suffix.size());
  name += suffix_of(of.unit);
  if (total) name += total_suffix;
  return name;
}

void write_prometheus(const metrics_report& figures, text_sink& to) {
  for (const metric& each : metric_table)
    if (is_measured(each.level, figures.level)) write_family(each, figures, to);
}

}  // namespace tactor::inline v0
