// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/actor.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/metrics/metrics_history.hpp"
#include "tactor/host/metrics/metrics_report.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <latch>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;

struct beat {};

class beating : public actor<beat> {
public:
  void receive(context&, const beat&) {}
};

class latch_sink final : public metrics_sink {
public:
  void take(const metrics_report& figures) noexcept override {
    if (!done.try_wait()) done.count_down();
    handled = figures.sums.messages_handled;
  }
  std::latch done{3};
  std::uint64_t handled = 0;
};

// spec: O2
TEST(metrics_recording, goes_on_while_actors_run_although_no_report_is_requested) {
  latch_sink sink;
  actor_system system;
  system.send_metrics_to(&sink);
  const auto one = system.spawn<beating>("one");
  const auto every = system.schedule_at_fixed_rate(1ms, 1ms, one, beat{});
  ASSERT_TRUE(every.has_value());
  sink.done.wait();
  system.send_metrics_to(nullptr);
  const std::vector<metrics_point> points = system.metrics_history().points;
  ASSERT_GE(points.size(), 2u);
  EXPECT_GE(points[0].length_ns, 1'000'000'000u);
  EXPECT_GT(points[0].messages_handled, 0u);
  EXPECT_GT(sink.handled, 0u);
}

}  // namespace
}  // namespace tactor
