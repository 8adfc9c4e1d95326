// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/history_text.hpp"

#include "tactor/host/snapshot/snapshot.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tactor::inline v0::internal {
namespace {

constexpr std::uint64_t ns_per_second = 1'000'000'000;

std::uint64_t minus(std::uint64_t a, std::uint64_t b) noexcept {
  return a > b ? a - b : 0;
}
/// Of sampled times, which are 0 if there were none.
std::optional<std::uint64_t> if_any(std::uint64_t ns) noexcept {
  return ns == 0 ? std::nullopt : std::optional{ns};
}

}  // namespace

point_sums point_sums::of(const metrics_snapshot& all) noexcept {
  return {.sent = all.messages_sent,
          .handled = all.messages_handled,
          .dead_letters = all.all_dead_letters(),
          .failures = all.failures,
          .restarts = all.restarts};
}
point_sums point_sums::before(const metrics_point& point) const noexcept {
  return {.sent = minus(sent, point.messages_sent),
          .handled = minus(handled, point.messages_handled),
          .dead_letters = minus(dead_letters, point.dead_letters),
          .failures = minus(failures, point.failures),
          .restarts = minus(restarts, point.restarts)};
}

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

void write_history(const recorded_metrics& all, std::uint64_t now_ns, std::uint64_t seconds,
                   text_sink& to) {
  const std::size_t count = all.points.size();
  std::vector<point_sums> sums(
      count);  // from the newest point, whose sums are known, to the oldest
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

}  // namespace tactor::inline v0::internal
