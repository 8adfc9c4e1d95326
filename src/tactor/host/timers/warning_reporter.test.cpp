// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/timers/warning_reporter.hpp"

#include "tactor/core/scheduler/report/diagnostics.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <optional>
#include <thread>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using kind = scheduler_event_kind;

auto in_a_minute() {
  return std::chrono::steady_clock::now() + 60s;
}
void wait_until_idle(const warning_reporter& reporter) {
  while (!reporter.is_idle())
    std::this_thread::yield();
}

// spec: X2
TEST(warning_reporter, reports_a_warning_that_is_raised_while_it_reports) {
  diagnostics stream;
  std::atomic<int> reports = 0;
  std::latch begun{1};
  std::latch go_on{1};
  std::atomic<bool> first = false;
  warning_reporter reporter;
  reporter.start(
      stream,
      [&] {
        ++reports;
        if (first.exchange(false)) {
          begun.count_down();
          go_on.wait();
        }
        return warning_reporter::not_again;
      },
      nullptr, nullptr);
  wait_until_idle(reporter);
  const int before = reports;
  first = true;
  stream.publish({.kind = kind::quota_reached});
  begun.wait();
  stream.publish({.kind = kind::quota_reached});
  EXPECT_FALSE(reporter.is_idle());
  go_on.count_down();
  wait_until_idle(reporter);
  EXPECT_EQ(reports, before + 2);
  EXPECT_TRUE(reporter.stop(in_a_minute()));
}

// spec: X2
TEST(warning_reporter, sleeps_while_nothing_but_warnings_is_listened_to) {
  diagnostics stream;
  std::atomic<int> reports = 0;
  warning_reporter reporter;
  reporter.start(
      stream,
      [&] {
        ++reports;
        return warning_reporter::not_again;
      },
      nullptr, nullptr);
  wait_until_idle(reporter);
  const int before = reports;
  EXPECT_FALSE(stream.wants(kind::fired));
  stream.publish({.kind = kind::fired});
  EXPECT_TRUE(reporter.is_idle());
  EXPECT_EQ(reports, before);
  EXPECT_TRUE(reporter.stop(in_a_minute()));
  EXPECT_EQ(reports, before + 1) << "once more, for what was raised last";
  EXPECT_FALSE(stream.has_listeners());
}

// The first call returns a time that is over at once; then only a warning, or a worker, leads to
// another.
TEST(warning_reporter, reports_again_when_it_was_asked_to_and_when_a_worker_wakes) {
  diagnostics stream;
  std::atomic<int> reports = 0;
  warning_reporter reporter;
  reporter.start(
      stream,
      [&]() -> std::optional<std::chrono::nanoseconds> {
        if (++reports == 1) return 1ns;
        return std::nullopt;
      },
      nullptr, nullptr);
  while (reports < 2 || !reporter.is_idle())
    std::this_thread::yield();
  const int before = reports;
  reporter.signal().worker_woke();
  while (reports == before)
    std::this_thread::yield();
  EXPECT_TRUE(reporter.stop(in_a_minute()));
}

TEST(warning_reporter, does_not_wait_longer_than_told_for_a_report_that_does_not_return) {
  diagnostics stream;
  const auto go_on = std::make_shared<std::latch>(1);
  {
    warning_reporter reporter;
    reporter.start(
        stream,
        [go_on] {
          go_on->wait();
          return warning_reporter::not_again;
        },
        nullptr, nullptr);
    EXPECT_FALSE(reporter.stop(std::chrono::steady_clock::now()));
  }
  go_on->count_down();  // it ends on its own
}

}  // namespace
}  // namespace tactor
