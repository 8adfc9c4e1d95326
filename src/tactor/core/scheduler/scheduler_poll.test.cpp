// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/testkit/scheduler_harness.hpp"

#include <gtest/gtest.h>

#include <chrono>

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

}  // namespace
}  // namespace tactor
