// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/metrics/prometheus.hpp"

#include "tactor/base/text_writer.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/metric_table.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/host/metrics/metrics_report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace tactor {
namespace {

class string_sink final : public text_sink {
public:
  void write(std::string_view piece) noexcept override { text.append(piece); }
  std::string text;
};

std::string exported(const metrics_report& of) {
  string_sink to;
  write_prometheus(of, to);
  return to.text;
}
bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

/// One with something in each part.
metrics_report example(metrics_level level = metrics_level::actor) {
  metrics_report all;
  all.level = level;
  all.sums.messages_handled = 7;
  all.sums.suspended_ns = 1'500'000'000;
  all.sums.registry_bytes = 4'096;
  all.sums.dead_letters[std::to_underlying(drop_reason::full)] = 3;
  all.latency.in_bucket[histogram_buckets::of(2'000)] = 2;
  all.latency.sum = 4'000;
  all.workers.push_back({.name = "worker-0", .busy_ns = 1'000'000'000, .idle_ns = 3'000'000'000});
  all.actors.push_back({.label = "/user/a \"b\"\n\\", .taken = 5, .waiting = 2});
  all.actors[0].latency = all.latency;
  all.labels_left_out = 1;
  return all;
}

// spec: O2
TEST(prometheus, writes_counters_in_seconds_and_bytes_with_their_names) {
  const std::string text = exported(example());
  EXPECT_TRUE(has_line(text, "# TYPE tactor_actor_messages_handled_total counter"));
  EXPECT_TRUE(has_line(text, "tactor_actor_messages_handled_total 7"));
  EXPECT_TRUE(has_line(text, "tactor_actor_suspended_duration_seconds_total 1.5"));
  EXPECT_TRUE(has_line(text, "tactor_actor_registry_memory_bytes 4096"));
  EXPECT_TRUE(has_line(text, "tactor_dead_letters_total{reason=\"full\"} 3"));
  EXPECT_TRUE(has_line(text, "tactor_dead_letters_total{reason=\"stopped\"} 0"));
  EXPECT_TRUE(has_line(text, "tactor_scheduler_worker_busy_ratio{worker=\"worker-0\"} 0.25"));
  EXPECT_TRUE(has_line(text, "tactor_scheduler_worker_busy_seconds_total{worker=\"worker-0\"} 1"));
  EXPECT_TRUE(has_line(text, "tactor_metrics_actors_left_out_total 1"));
}

// spec: O2
TEST(prometheus, writes_histograms_with_cumulative_buckets) {
  const std::string text = exported(example(metrics_level::system));
  EXPECT_TRUE(has_line(text, "# TYPE tactor_scheduler_latency_seconds histogram"));
  EXPECT_TRUE(has_line(text, "tactor_scheduler_latency_seconds_bucket{le=\"1.024e-06\"} 0"));
  EXPECT_TRUE(has_line(text, "tactor_scheduler_latency_seconds_bucket{le=\"4.096e-06\"} 2"));
  EXPECT_TRUE(has_line(text, "tactor_scheduler_latency_seconds_bucket{le=\"+Inf\"} 2"));
  EXPECT_TRUE(has_line(text, "tactor_scheduler_latency_seconds_sum 4e-06"));
  EXPECT_TRUE(has_line(text, "tactor_scheduler_latency_seconds_count 2"));
}

TEST(prometheus, has_a_bucket_for_every_factor_of_two) {
  const std::string text = exported(example(metrics_level::system));
  const std::string_view begin = "tactor_scheduler_latency_seconds_bucket{le=\"";
  double before = 0;
  int buckets = 0;
  for (std::size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
    const double end = std::strtod(text.c_str() + at + begin.size(), nullptr);  // "+Inf" is last
    const bool has_end = std::isfinite(end);
    EXPECT_TRUE(buckets == 0 || !has_end || end == 2 * before) << before << " and " << end;
    ++buckets;
    before = end;
  }
  EXPECT_EQ(buckets, 32) << "from 1 us to 17 minutes, and one without an end";
}

// spec: O2
TEST(prometheus, tells_actors_apart_at_level_actor_and_escapes_their_names) {
  const std::string text = exported(example());
  const std::string actor = R"(actor="/user/a \"b\"\n\\")";
  EXPECT_TRUE(
      has_line(text, "tactor_actor_mailbox_enqueued_total{" + actor + ",mailbox=\"user\"} 5"));
  EXPECT_TRUE(has_line(text, "tactor_actor_mailbox_depth{" + actor + "} 2"));
  EXPECT_TRUE(has_line(text, "tactor_scheduler_latency_seconds_count{" + actor + "} 2"));
}

// spec: O2
TEST(prometheus, is_utf_8_whatever_a_name_contains) {
  metrics_report all = example();
  all.actors[0].label = "/user/\xE6\x97\xA5\xFF\xE6\x97";  // the last character was truncated
  const std::string text = exported(all);
  const std::string bad = "\xEF\xBF\xBD";
  const std::string name = "/user/\xE6\x97\xA5" + bad + bad + bad;
  EXPECT_TRUE(has_line(text, "tactor_actor_mailbox_depth{actor=\"" + name + "\"} 2"));
}

// spec: O1
TEST(prometheus, writes_what_is_measured_at_the_level) {
  EXPECT_EQ(exported(metrics_report{}), "");
  const std::string text = exported(example(metrics_level::system));
  for (const metric& each : metric_table) {
    const std::string type = "# TYPE " + prometheus_name(each) + " ";
    EXPECT_EQ(text.find(type) != std::string::npos, each.level == metrics_level::system)
        << each.name;
  }
}

// spec: O2
TEST(prometheus, every_row_of_the_table_has_a_family_of_its_own_with_a_value) {
  const std::string text = exported(example());
  std::set<std::string> names;
  for (const metric& each : metric_table) {
    const std::string name = prometheus_name(each);
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_NE(text.find("# HELP " + name + " "), std::string::npos) << name;
    const bool has_value = text.find("\n" + name + " ") != std::string::npos ||
                           text.find("\n" + name + "{") != std::string::npos ||
                           text.find("\n" + name + "_count") != std::string::npos;
    EXPECT_TRUE(has_value) << name << " has nothing behind it";
  }
}

// spec: O2
TEST(prometheus, promtool_finds_no_fault) {
  if (std::system("command -v promtool >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "promtool is not installed (Debian package `prometheus`)";
  std::FILE* const to = popen("promtool check metrics", "w");
  ASSERT_NE(to, nullptr);
  const std::string text = exported(example());
  EXPECT_EQ(std::fwrite(text.data(), 1, text.size(), to), text.size());
  EXPECT_EQ(pclose(to), 0);
}

}  // namespace
}  // namespace tactor
