// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/metrics/metrics_history.hpp"

#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/log_histogram.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/host/metrics/metrics_report.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

constexpr std::uint64_t second = metrics_history::step_ns;

/// A system that handles 10 messages per second of its life.
metrics_report report_at(std::uint64_t now_ns) {
  metrics_report made;
  made.time_ns = now_ns;
  made.level = metrics_level::system;
  made.sums.messages_handled = 10 * (now_ns / second);
  made.workers.push_back(
      {.name = "worker-0", .busy_ns = now_ns / 4, .idle_ns = now_ns - now_ns / 4});
  return made;
}

class counting_sink final : public metrics_sink {
public:
  void take(const metrics_report& figures) noexcept override {
    ++reports;
    last_ns = figures.time_ns;
  }
  int reports = 0;
  std::uint64_t last_ns = 0;
};

// spec: O2
TEST(metrics_history, a_point_is_what_happened_between_two_reports) {
  metrics_report before = report_at(2 * second);
  before.latency.in_bucket[histogram_buckets::of(100)] = 7;
  metrics_report after = report_at(3 * second);
  after.sums.dead_letters[std::to_underlying(drop_reason::full)] = 2;
  after.sums.failures = 1;
  after.sums.actors_started = 5;
  after.latency = before.latency;
  after.latency.in_bucket[histogram_buckets::of(5'000)] = 1;
  const metrics_point point = point_between(before, after);
  EXPECT_EQ(point.time_ns, 3 * second);
  EXPECT_EQ(point.length_ns, second);
  EXPECT_EQ(point.messages_handled, 10u);
  EXPECT_EQ(point.dead_letters, 2u);
  EXPECT_EQ(point.failures, 1u);
  EXPECT_EQ(point.actors_alive, 5u);
  EXPECT_EQ(point.latency_p50_ns, 5'120u) << "older values are not in it";
  EXPECT_EQ(point.duration_p99_ns, 0u);
  EXPECT_DOUBLE_EQ(point.busy_ratio, 0.25);
}

TEST(metrics_history, figures_that_fell_have_not_grown) {
  EXPECT_EQ(point_between(report_at(5 * second), report_at(2 * second)).messages_handled, 0u);
}

// spec: O2
TEST(metrics_history, records_once_per_second_however_often_it_is_polled) {
  metrics_history history;
  for (std::uint64_t now = second; now <= 4 * second; now += second / 8)
    history.poll(now, [now] { return report_at(now); });
  const std::vector<metrics_point> points = history.recorded().points;
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].time_ns, 2 * second);
  EXPECT_EQ(points[2].time_ns, 4 * second);
}

// spec: O2
TEST(metrics_history, keeps_the_last_quarter_of_an_hour) {
  metrics_history history;
  for (std::uint64_t i = 1; i <= 1'000; ++i)
    history.poll(i * second, [i] { return report_at(i * second); });
  const std::vector<metrics_point> points = history.recorded().points;
  ASSERT_EQ(points.size(), metrics_history::most_points);
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_EQ(points[i].time_ns, (i + 101) * second);
}

// spec: O2
TEST(metrics_history, gives_each_report_to_the_sink_until_told_otherwise) {
  metrics_history history;
  counting_sink sink;
  history.send_to(&sink);
  for (std::uint64_t i = 1; i <= 3; ++i)
    history.poll(i * second, [i] { return report_at(i * second); });
  history.send_to(nullptr);
  history.poll(4 * second, [] { return report_at(4 * second); });
  EXPECT_EQ(sink.reports, 3);
  EXPECT_EQ(sink.last_ns, 3 * second);
}

// spec: O1
TEST(metrics_history, records_nothing_where_nothing_is_measured) {
  metrics_history history;
  counting_sink sink;
  history.send_to(&sink);
  for (std::uint64_t i = 1; i <= 3; ++i)
    history.poll(i * second, [] { return metrics_report{}; });
  EXPECT_TRUE(history.recorded().points.empty());
  EXPECT_EQ(sink.reports, 0);
}

/// What a report has in it names the time of it.
std::optional<std::uint64_t> time_of(const std::optional<metrics_report>& found) {
  if (!found) return std::nullopt;
  return found->time_ns;
}

// Warnings are looked for in the time since then, also by the first observer.
TEST(metrics_history, keeps_a_report_of_some_ten_seconds_ago) {
  metrics_history history;
  const auto poll_until = [&](std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t t = from; t <= to; ++t)
      history.poll(t * second, [&] { return report_at(t * second); });
  };
  EXPECT_EQ(time_of(history.some_time_ago(100 * second)), std::nullopt) << "nothing was recorded";
  poll_until(1, 10);
  EXPECT_EQ(time_of(history.some_time_ago(10 * second)), std::nullopt) << "too young";
  poll_until(11, 25);
  EXPECT_EQ(time_of(history.some_time_ago(25 * second)), 11 * second);
  poll_until(26, 35);
  EXPECT_EQ(time_of(history.some_time_ago(35 * second)), 21 * second);
  EXPECT_EQ(time_of(history.some_time_ago(3'600 * second)), 35 * second)
      << "nothing has happened since";
}

}  // namespace
}  // namespace tactor
