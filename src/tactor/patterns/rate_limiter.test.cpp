// SPDX-License-Identifier: BSL-1.0
#include "tactor/patterns/rate_limiter.hpp"

#include "tactor/actor.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <utility>

namespace tactor::patterns {
namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

struct request {};

class limited : public actor<request> {
public:
  limited(rate_limiter::rate of, int* handled) : limit_(of), handled_(handled) {}
  void receive(context& ctx, request) {
    ASSERT_TRUE(limit_.take(ctx));
    ++*handled_;
  }

private:
  rate_limiter limit_;
  int* handled_;
};

struct world_of_one {
  explicit world_of_one(const rate_limiter::rate& of)
      : who(world.spawn<limited>("limited", of, &handled)) {
    for (int i = 0; i < 100; ++i)
      who.tell(request{});
  }
  int after(duration time) {
    world.run_for(time);
    return handled;
  }

  int handled = 0;
  simulation world{seed{1}};
  actor_ref<request> who;
};

// spec: P2
TEST(rate_limiter, handles_a_burst_and_then_one_message_for_each_token) {
  world_of_one one{{.tokens = 10, .per = 1s}};
  EXPECT_EQ(one.after(90ms), 10);
  EXPECT_EQ(one.after(30ms), 11);
  EXPECT_NEAR(one.after(1s), 21, 1);
}

TEST(rate_limiter, holds_no_more_than_its_burst) {
  world_of_one one{{.tokens = 10, .per = 1s, .burst = 2}};
  EXPECT_EQ(one.after(90ms), 2);
  EXPECT_NEAR(one.after(930ms), 12, 1);
}

TEST(rate_limiter, fills_up_while_nothing_comes) {
  world_of_one one{{.tokens = 50, .per = 500ms}};
  EXPECT_EQ(one.after(1ms), 50);
  EXPECT_EQ(one.after(1s), 100);
  one.world.run_for(10s);
  for (int i = 0; i < 60; ++i)
    one.who.tell(request{});
  EXPECT_EQ(one.after(1ms), 150);
}

// spec: P2
TEST(rate_limiter, keeps_a_rate_of_more_than_one_message_per_tick) {
  for (const auto& [tokens, in_ten_seconds] : {std::pair{1000U, 10'000}, std::pair{70U, 700}}) {
    world_of_one one{{.tokens = tokens, .per = 1s, .burst = 1}};
    for (int i = 0; i < 20'000; ++i)
      one.who.tell(request{});
    EXPECT_NEAR(one.after(10s), in_ten_seconds, 12);
  }
}

// spec: P2
TEST(rate_limiter, holds_as_many_tokens_as_it_is_told) {
  for (const std::uint32_t burst : {5'124'097U, ~std::uint32_t{0}}) {  // 2^64 ns and a bit; any
    world_of_one one{{.tokens = 1, .per = 1h, .burst = burst}};
    EXPECT_EQ(one.after(1ms), 100);
  }
}

TEST(rate_limiter, of_no_time_limits_nothing) {
  world_of_one one{{.tokens = 0, .per = 0s}};
  EXPECT_EQ(one.after(1ms), 100);
}

// spec: P2 T5
TEST(rate_limiter, limits_also_where_the_next_token_is_further_away_than_timers_reach) {
  for (const duration per : {duration{std::chrono::hours{24 * 365}}, duration{10'000h},
                             duration{std::chrono::nanoseconds::max()}}) {
    world_of_one one{{.tokens = 1, .per = per}};
    EXPECT_EQ(one.after(100 * 24h), 1);
  }
}

}  // namespace
}  // namespace tactor::patterns
