// SPDX-License-Identifier: BSL-1.0
// The runtime's own timers: outside the quota and the overflow capacity of users' timers.
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/life/receive_timeout.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/testkit/probe.hpp"
#include "tactor/testkit/scheduler_checks.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include "few_timers.hpp"
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <expected>
#include <functional>  // NOLINT(portability-restrict-system-includes): for tests
#include <optional>
#include <string>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

struct run;
using puppet_context = actor_context<run>;
struct run {
  std::function<std::expected<void, failure>(puppet_context&)> what;
};
struct wish {
  using reply = int;
};

struct seen {
  int timeouts = 0;
  int starts = 0;
  int messages = 0;
};

class puppet : public actor<run> {
public:
  explicit puppet(seen* into) : seen_(into) { ++seen_->starts; }
  std::expected<void, failure> receive(context& ctx, const run& r) {
    ++seen_->messages;
    return r.what(ctx);
  }
  void receive(context&, const receive_timeout&) { ++seen_->timeouts; }

private:
  seen* seen_;
};

/// A system whose users' timers are used up: one lives, and no far timer is allowed.
class runtime_timers : public ::testing::Test {
protected:
  runtime_timers() {
    EXPECT_TRUE(users_timer.has_value());
    EXPECT_EQ(world.timers().schedule_once(10ms, [] {}).error(), scheduler_error::quota_exceeded);
  }
  static system_config few() {
    system_config config;
    config.scheduler.system_quota = 1;
    config.scheduler.timing.overflow_capacity = 0;
    return config;
  }
  template <class What>
  void in(const actor_ref<run>& whom, What what) {
    (void)whom.tell(run{[what](puppet_context& ctx) -> std::expected<void, failure> {
      what(ctx);
      return {};
    }});
    (void)world.run_to_idle();
  }

  seen saw;
  simulation world{seed{1}, few()};
  std::expected<cancellable, scheduler_error> users_timer = world.timers().schedule_once(1s, [] {});
  actor_ref<run> who = world.spawn<puppet>("who", &saw);
};

// spec: S9
TEST_F(runtime_timers, set_a_receive_timeout_although_the_quota_is_used_up) {
  in(who,
     [](puppet_context& ctx) { EXPECT_TRUE(ctx.set_receive_timeout<puppet>(100ms).has_value()); });
  world.run_for(110ms);
  EXPECT_EQ(saw.timeouts, 1);
}

// spec: S9
TEST_F(runtime_timers, let_an_actor_ask_although_the_quota_is_used_up) {
  const auto desk = world.spawn("desk", [](tactor::context&, wish) { return 7; });
  auto silent = world.spawn_probe<wish>("silent");
  std::optional<std::expected<int, ask_error>> answered;
  std::optional<std::expected<int, ask_error>> unanswered;
  in(who, [&](puppet_context& ctx) {
    ctx.ask(desk, wish{}, 100ms, [&](auto said) { answered = said; });
    ctx.ask(silent.ref(), wish{}, 100ms, [&](auto said) { unanswered = said; });
  });
  ASSERT_TRUE(answered.has_value());
  EXPECT_EQ(answered->value_or(0), 7);
  world.run_for(100ms);
  ASSERT_TRUE(unanswered.has_value());
  EXPECT_EQ(unanswered->error().kind, ask_failure::timed_out);
}

// spec: S9
TEST_F(runtime_timers, end_a_suspension_although_the_quota_is_used_up) {
  in(who, [](puppet_context& ctx) {
    EXPECT_TRUE(ctx.suspend(suspend_reason::user_defined, resume_after(50ms)).has_value());
  });
  in(who, [](puppet_context&) {});
  EXPECT_EQ(saw.messages, 1);
  world.run_for(60ms);
  EXPECT_EQ(saw.messages, 2);
}

// spec: S9
TEST_F(runtime_timers, end_a_back_off_although_the_quota_is_used_up) {
  const auto fails = world.spawn<puppet>(
      {.name = "fails", .on_failure = restart{.delay = {.min = 50ms, .max = 50ms}}}, &saw);
  (void)fails.tell(run{[](puppet_context&) -> std::expected<void, failure> {
    return std::unexpected{failure{"on purpose"}};
  }});
  (void)world.run_to_idle();
  const int before = saw.starts;
  world.run_for(100ms);
  EXPECT_EQ(saw.starts, before + 1);
}

// spec: S9
TEST_F(runtime_timers, are_outside_the_overflow_capacity) {
  EXPECT_TRUE(users_timer->cancel());
  in(who,
     [](puppet_context& ctx) { EXPECT_TRUE(ctx.set_receive_timeout<puppet>(1h).has_value()); });
  EXPECT_EQ(world.timers().schedule_once(1h, [] {}).error(), scheduler_error::capacity_exceeded);
  EXPECT_TRUE(testkit::check_invariants(world.timers()));
  world.run_for(1h);
  EXPECT_EQ(saw.timeouts, 1);
}

// spec: S9 S10
TEST(runtime_timers_far_ahead, take_no_capacity_from_users_and_are_not_evicted) {
  seen saw;
  system_config config;
  config.scheduler.timing.overflow_capacity = 1;
  simulation world{seed{1}, config};
  const auto who = world.spawn<puppet>("who", &saw);
  (void)who.tell(run{[](puppet_context& ctx) -> std::expected<void, failure> {
    EXPECT_TRUE(ctx.set_receive_timeout<puppet>(1h).has_value());
    return {};
  }});
  (void)world.run_to_idle();
  EXPECT_TRUE(
      world.timers().schedule_once(1h, [] {}, {.priority = timer_priority::low}).has_value());
  EXPECT_TRUE(world.timers().schedule_once(1h, [] {}).has_value());
  EXPECT_FALSE(world.timers().schedule_once(1h, [] {}).has_value());
  (void)world.timers().poll();
  EXPECT_EQ(world.timers().metrics().evicted_total, 1u);
  EXPECT_TRUE(testkit::check_invariants(world.timers()));
  world.run_for(1h);
  EXPECT_EQ(saw.timeouts, 1);
}

// spec: S9 S13
TEST_F(runtime_timers, count_in_the_totals_and_not_in_the_quota) {
  in(who,
     [](puppet_context& ctx) { EXPECT_TRUE(ctx.set_receive_timeout<puppet>(10s).has_value()); });
  EXPECT_EQ(world.timers().metrics().active_total, 2u);
  EXPECT_EQ(world.timers().metrics().scheduled_total, 2u);
  EXPECT_TRUE(users_timer->cancel());
  EXPECT_EQ(world.timers().metrics().active_total, 1u);
  EXPECT_TRUE(world.timers().schedule_once(10ms, [] {}).has_value()) << "the quota is free";
  world.stop(who);
  (void)world.run_to_idle();
  world.run_for(20ms);
  EXPECT_EQ(world.timers().metrics().active_total, 0u);
}

// spec: S9
TEST_F(runtime_timers, are_refused_without_memory_and_the_errors_say_so) {
  const few_timers none{world.timers(), 0};
  const auto desk = world.spawn("desk", [](tactor::context&, wish) { return 7; });
  std::optional<std::expected<int, ask_error>> answered;
  std::optional<scheduler_error> timeout;
  in(who, [&](puppet_context& ctx) {
    timeout = ctx.set_receive_timeout<puppet>(100ms).error();
    ctx.ask(desk, wish{}, 100ms, [&](auto said) { answered = said; });
  });
  ASSERT_TRUE(timeout.has_value());
  EXPECT_EQ(*timeout, scheduler_error::capacity_exceeded);
  EXPECT_NE(std::string{to_text(*timeout)}.find("no memory"), std::string::npos);
  ASSERT_TRUE(answered.has_value());
  EXPECT_EQ(answered->error().kind, ask_failure::refused);
  EXPECT_NE(std::string{to_text(ask_failure::refused)}.find("no memory"), std::string::npos);
}

}  // namespace
}  // namespace tactor
