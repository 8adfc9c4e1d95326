// SPDX-License-Identifier: BSL-1.0
// Receive timeouts where real threads run the actors and the timers.
#include "tactor/host/actor_system.hpp"

#include "instrumented.hpp"
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

namespace tactor::stress {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

void say_nothing(const log_record& /*what*/) noexcept {}

struct ping {
  std::latch* handled = nullptr;
};

// Counts what idle actors have seen.
struct tally {
  std::atomic<std::uint64_t> early = 0;  // told before its time
  std::atomic<std::uint64_t> told = 0;
};

/// Has a timeout, and says when it was told so often; then it has had enough.
class idler : public actor<ping> {
public:
  idler(tally* sum, std::latch* enough, int often, std::chrono::milliseconds timeout)
      : sum_(sum), enough_(enough), often_(often), timeout_(timeout) {}

  void pre_start(context& ctx) {
    last_ns_ = ctx.now_ns();
    if (!ctx.set_receive_timeout(timeout_, *this)) ++sum_->early;
  }
  void receive(context& ctx, const ping& p) {
    last_ns_ = ctx.now_ns();
    if (p.handled != nullptr) p.handled->count_down();
  }
  void receive(context& ctx, const receive_timeout& t) {
    const std::uint64_t now_ns = ctx.now_ns();
    const auto least = static_cast<std::uint64_t>(t.after.nanoseconds());
    if (now_ns - last_ns_ < least || t.after != duration{timeout_}) ++sum_->early;
    last_ns_ = now_ns;
    ++sum_->told;
    if (--often_ == 0) {
      ctx.cancel_receive_timeout();
      enough_->count_down();
    }
    if (often_ < 0) ++sum_->early;
  }

private:
  tally* sum_;
  std::latch* enough_;
  int often_;
  std::chrono::milliseconds timeout_;
  std::uint64_t last_ns_ = 0;
};

// spec: R1
// case: RT-01 RT-03
TEST(receive_timeout_on_threads, is_told_of_in_time_to_many_and_each_may_cancel) {
  constexpr int many = scaled(500, 100);
  constexpr int often = 3;
  tally sum;
  std::latch enough{many};
  {
    const actor_system system{{.name = "idle", .workers = 4}};
    for (int i = 0; i < many; ++i)
      (void)system.spawn<idler>(spawn_options{}, &sum, &enough, often,
                                std::chrono::milliseconds{10 + i % 30});
    enough.wait();
    EXPECT_TRUE(system.shutdown(60s).complete);
  }
  EXPECT_EQ(sum.early, 0U);
  EXPECT_EQ(sum.told, std::uint64_t{many} * often);
}

// spec: R2
// case: RT-02
TEST(receive_timeout_on_threads, is_never_early_while_messages_come) {
  tally sum;
  std::latch enough{8};
  {
    const actor_system system{{.name = "busy", .workers = 4}};
    std::vector<idler::ref> all;
    for (int i = 0; i < 8; ++i)
      all.push_back(system.spawn<idler>(spawn_options{}, &sum, &enough, 2, 20ms));
    {
      const auto send = [&] {
        for (std::uint32_t i = 0; i < scaled(200'000, 20'000); ++i)
          (void)all[i % all.size()].tell(ping{});
        std::latch handled{1};  // it ends with one that has been handled
        (void)all[0].tell(ping{&handled});
        handled.wait();
      };
      const std::jthread one{send};
      const std::jthread other{send};
    }
    enough.wait();
    EXPECT_TRUE(system.shutdown(60s).complete);
  }
  EXPECT_EQ(sum.early, 0U);
}

// spec: R4
// case: RT-11
TEST(receive_timeout_on_threads, ends_with_actors_that_stop_at_any_moment) {
  tally sum;
  std::latch enough{1'000'000};  // never
  const actor_system system{{.name = "ends", .workers = 4, .log = {.sink = say_nothing}}};
  constexpr int many = scaled(20'000, 3000);
  for (int i = 0; i < many; ++i) {
    const auto who = system.spawn<idler>(spawn_options{}, &sum, &enough, 1'000'000,
                                         std::chrono::milliseconds{10 + i % 3});
    if (i % 2 == 0) (void)who.tell(ping{});
    system.stop(who);
  }
  EXPECT_TRUE(system.shutdown(60s).complete);
  EXPECT_EQ(sum.early, 0U);
}

}  // namespace
}  // namespace tactor::stress
