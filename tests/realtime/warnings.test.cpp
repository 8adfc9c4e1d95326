// SPDX-License-Identifier: BSL-1.0
// The time until a raised warning of the timers is in the log and on the event stream, while
// every worker is busy.
#include "tactor/host/actor_system.hpp"

#include "core_wait.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <vector>

namespace tactor::realtime {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

struct work {};
/// Always ready.
class busy_actor : public actor<work> {
public:
  void receive(context& ctx, const work&) { ctx.self().tell(work{}); }
};

/// Records when the last warning was seen, by the log and by a subscriber.
struct seen_at {
  void see(std::size_t who) {
    const std::scoped_lock lock{mutex};
    when[who] = steady_clock::now();
    ++count[who];
    changed.notify_all();
  }
  // Waits until both have seen `number` warnings. Returns: when the later one did.
  steady_clock::time_point wait_for(int number) {
    std::unique_lock lock{mutex};
    const auto both = [&] { return count[0] >= number && count[1] >= number; };
    EXPECT_TRUE(changed.wait_for(lock, 20s, both)) << "warning " << number;
    return std::max(when[0], when[1]);
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::array<steady_clock::time_point, 2> when{};
  std::array<int, 2> count{};
};

void log_to(void* context, const log_record& record) noexcept {
  if (record.kind == log_kind::timer) static_cast<seen_at*>(context)->see(0);
}

// spec: X2
TEST(warnings, are_in_the_log_and_on_the_event_stream_within_10_ms_under_full_load) {
  constexpr int rounds = 50;
  seen_at seen;
  system_config config{.workers = 2, .log = {.sink = {log_to, &seen}, .limit = {.interval_ns = 0}}};
  config.scheduler.system_quota = 1;
  actor_system system{config};
  const auto watch = system.spawn({.name = "watch", .dispatcher = dispatcher::pinned},
                                  [&](context&, const timer_warning& raised) {
                                    if (raised.what.kind == scheduler_event_kind::quota_reached)
                                      seen.see(1);
                                  });
  ASSERT_TRUE(system.events().subscribe<timer_warning>(watch));
  for (int i = 0; i < 8; ++i)
    system.spawn<busy_actor>("").tell(work{});

  std::vector<steady_clock::duration> took;
  for (int round = 1; round <= rounds; ++round) {
    auto live = system.timers().schedule_once(1h, [] {});
    ASSERT_TRUE(live.has_value());
    const auto waited = core_wait_of({"tactor-report", "tactor-pin-"});
    const auto raised = steady_clock::now();
    ASSERT_FALSE(system.timers().schedule_once(1h, [] {}).has_value());
    const auto all = seen.wait_for(round) - raised;
    took.push_back(all - (core_wait_of({"tactor-report", "tactor-pin-"}) - waited));
    EXPECT_TRUE(live->cancel());
  }
  system.force_stop();
  std::ranges::sort(took);
  const auto us = [&](std::size_t at) {
    return std::chrono::duration_cast<std::chrono::microseconds>(took[at]).count();
  };
  std::printf("warnings under load: p50 %ld us, p90 %ld us, worst %ld us\n", us(rounds / 2),
              us(rounds * 9 / 10), us(rounds - 1));
  EXPECT_LT(took[rounds / 2], 10ms);
}

}  // namespace
}  // namespace tactor::realtime
