// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/history_text.hpp"

#include "tactor/base/json_writer.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/host/snapshot/snapshot.hpp"
#include "tactor/host/string_sink.hpp"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace tactor::inline v0::internal {
namespace {

constexpr std::uint64_t ns_per_second = 1'000'000'000;

std::uint64_t minus(std::uint64_t a, std::uint64_t b) noexcept {
  return a > b ? a - b : 0;
}
/// Returns: nothing for a sampled time of 0, which means that there were no samples.
std::optional<std::uint64_t> if_any(std::uint64_t ns) noexcept {
  return ns == 0 ? std::nullopt : std::optional{ns};
}

/// Sums since the start of a system, at the end of one point of its history.
struct point_sums {
  std::uint64_t sent = 0;
  std::uint64_t handled = 0;
  std::uint64_t dead_letters = 0;
  std::uint64_t failures = 0;
  std::uint64_t restarts = 0;

  static point_sums of(const metrics_snapshot& all) noexcept {
    return {.sent = all.messages_sent,
            .handled = all.messages_handled,
            .dead_letters = all.all_dead_letters(),
            .failures = all.failures,
            .restarts = all.restarts};
  }
  /// Returns: the sums at the beginning of `point`.
  [[nodiscard]] point_sums before(const metrics_point& point) const noexcept {
    return {.sent = minus(sent, point.messages_sent),
            .handled = minus(handled, point.messages_handled),
            .dead_letters = minus(dead_letters, point.dead_letters),
            .failures = minus(failures, point.failures),
            .restarts = minus(restarts, point.restarts)};
  }
};

/// Writes one point: sums since the start, and what was measured in its time.
void write_point(json_writer& to, const metrics_point& point, const point_sums& sums) noexcept {
  to.open('{');
  to.number("time_ns", point.time_ns);
  to.number("sent", sums.sent);
  to.number("handled", sums.handled);
  to.number("dead_letters", sums.dead_letters);
  to.number("failures", sums.failures);
  to.number("restarts", sums.restarts);
  to.number("waiting", minus(sums.sent, sums.handled + sums.dead_letters));
  to.number("actors", point.actors_alive);
  to.number("ready_queue_depth", point.ready_queue_depth);
  to.number("latency_p50_ns", if_any(point.latency_p50_ns));
  to.number("latency_p99_ns", if_any(point.latency_p99_ns));
  to.number("handler_p99_ns", if_any(point.duration_p99_ns));
  to.close('}');
}

/// Returns: a part of the snapshot, as one JSON object without the end of the line.
std::string part_of(const actor_system& of, const snapshot_query& wanted) {
  std::string text;
  string_sink to{text};
  of.write_snapshot(wanted, to);
  to.check();
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

void write_history(const recorded_metrics& all, std::uint64_t now_ns, std::uint64_t seconds,
                   text_sink& to) {
  const std::size_t count = all.points.size();
  std::vector<point_sums> sums(count);  // known for the newest point: computed back to the oldest
  for (std::size_t i = count; i-- > 0;)
    sums[i] = i + 1 == count ? point_sums::of(all.sums) : sums[i + 1].before(all.points[i + 1]);
  const std::uint64_t since_ns = minus(now_ns, seconds * ns_per_second);
  json_writer out{to};
  out.open('{');
  out.number("version", snapshot_version);
  out.text("part", "history");
  out.number("time_ns", now_ns);
  out.number("step_ns", metrics_history::step_ns);
  out.key("points").open('[');
  for (std::size_t i = 0; i < count; ++i)
    if (all.points[i].time_ns >= since_ns) write_point(out, all.points[i], sums[i]);
  out.close(']');
  out.close('}');
  to.write("\n");
}

const metrics_report* warning_window::begin(const metrics_report& now) {
  if (!newer_ || now.time_ns - newer_->time_ns >= length_ns) {
    metrics_report fresh = now;
    older_ = std::exchange(newer_, std::move(fresh));
  }
  return older_ ? &*older_ : nullptr;
}

std::string tick_text::next(const actor_system& of, warning_window& since) {
  metrics_report now = of.full_metrics();
  std::string text;
  string_sink to{text};
  json_writer out{to};
  out.open('{');
  out.number("version", snapshot_version);
  out.text("part", "tick");
  out.number("time_ns", now.time_ns);
  out.key("point");
  write_point(out, point_between(last_ ? *last_ : now, now), point_sums::of(now.sums));
  to.check();
  text += ",\"system\":" + part_of(of, {.part = snapshot_part::system, .figures = &now});
  text += ",\"workers\":" + part_of(of, {.part = snapshot_part::workers, .figures = &now});
  // Only the list, which is the last value of its part.
  const std::string warnings =
      part_of(of, {.part = snapshot_part::warnings, .before = since.begin(now), .figures = &now});
  constexpr std::string_view name = ",\"warnings\":[";
  text += std::string_view{warnings}.substr(warnings.find(name));
  text.pop_back();
  last_ = std::move(now);
  return text;
}

}  // namespace tactor::inline v0::internal
