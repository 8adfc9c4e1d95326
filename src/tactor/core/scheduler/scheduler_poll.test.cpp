// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_storage.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/core/timing/timer_instant.hpp"
#include "tactor/testkit/queue_dispatcher.hpp"
#include "tactor/testkit/scheduler_harness.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace tactor {

namespace {

using namespace std::chrono_literals;

using world = testkit::scheduler_harness<8, 8>;

// Schedules and cancels the next timer as soon as the poll has removed the one before, as another
// thread may do it at that moment.
class restless_sink final : public held_sink {
public:
  explicit restless_sink(scheduler& timers) : timers_(timers) {}

  void schedule_and_cancel() noexcept {
    ++scheduled;
    auto timer = timers_.schedule_once(1s, *this, 42);
    if (timer) timer->cancel();
  }
  [[nodiscard]] post_result post(timer_job&) noexcept override { return post_result::closed; }
  void let_go() noexcept override {
    if (scheduled < 1000) schedule_and_cancel();
  }

  int scheduled = 0;

private:
  scheduler& timers_;
};

// spec: T4
TEST(scheduler_poll, ends_although_others_schedule_and_cancel_without_end) {
  world w;
  restless_sink sink{w.timers()};
  sink.schedule_and_cancel();

  EXPECT_TRUE(w.timers().poll().again) << "the command that came meanwhile waits";
  EXPECT_EQ(sink.scheduled, 2);

  while (w.timers().poll().again) {
  }
  EXPECT_EQ(sink.scheduled, 1000);
  EXPECT_FALSE(w.timers().has_commands());
}

// A clock whose stamp is a nanosecond later than what it shows.
class stamping_clock final : public monotonic_clock {
public:
  [[nodiscard]] timer_instant now() const noexcept override {
    return {.ticks = now_ns, .resolution_ns = 1};
  }
  [[nodiscard]] timer_instant stamp() const noexcept override {
    return {.ticks = now_ns + 1, .resolution_ns = 1};
  }
  [[nodiscard]] clock_kind kind() const noexcept override { return clock_kind::deterministic; }

  std::uint64_t now_ns = 0;
};

// spec: T4
TEST(scheduler_poll, counts_delays_from_the_stamp_and_fires_by_the_clock) {
  stamping_clock clock;
  testkit::queue_dispatcher dispatcher;
  static_scheduler_storage<8, 8> storage;
  scheduler timers{{}, storage.parts(clock, dispatcher)};
  int once = 0;
  int repeated = 0;
  const auto first = timers.schedule_once(10ms, [&] { ++once; });
  const auto second = timers.schedule_with_fixed_delay(10ms, 10ms, [&] { ++repeated; });
  const auto poll_at = [&](std::uint64_t ns) {
    clock.now_ns = ns;
    (void)timers.poll();
    dispatcher.run_all();
  };

  poll_at(19'999'999);
  EXPECT_EQ(once + repeated, 0) << "10 ms after the stamp is in the second tick";
  poll_at(20'000'000);
  EXPECT_EQ(once, 1);
  EXPECT_EQ(repeated, 1);
  poll_at(39'999'999);
  EXPECT_EQ(repeated, 1);
  poll_at(40'000'000);
  EXPECT_EQ(repeated, 2);
  timers.close();
}

}  // namespace
}  // namespace tactor
