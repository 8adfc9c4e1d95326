// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/delay_provider.hpp"

#include "tactor/core/actor/actor.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/cooperative_system.hpp"
#include "tactor/testkit/scheduler_harness.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <coroutine>
#include <exception>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tactor::inline v0::host {
namespace {

using namespace std::chrono_literals;

std::string thread_name() {
  char name[16] = {};
  (void)::pthread_getname_np(::pthread_self(), name, sizeof name);
  return name;
}

// A coroutine of a user, without actors.
class job {
public:
  struct promise_type {
    job get_return_object() {
      return job{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() { std::terminate(); }
  };
  explicit job(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
  job(job&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
  job(const job&) = delete;
  job& operator=(const job&) = delete;
  job& operator=(job&&) = delete;
  ~job() {
    if (frame_) frame_.destroy();
  }
  [[nodiscard]] bool done() const { return frame_.done(); }

private:
  std::coroutine_handle<promise_type> frame_;
};

job pause_twice(delay_provider delays, std::vector<delay_end>& ends) {
  for (int i = 0; i < 2; ++i) {
    auto pause = delays.after(10ms);
    if (!pause) co_return;
    ends.push_back(co_await *pause);
  }
}

using harness = testkit::scheduler_harness<64, 16>;

// spec: S15
TEST(delay_provider, a_coroutine_outside_of_actors_awaits_delays_in_virtual_time) {
  harness w;
  std::vector<delay_end> ends;
  const job both = pause_twice(delay_provider{w.timers()}, ends);
  EXPECT_TRUE(ends.empty());
  w.clock().advance(11ms);
  EXPECT_EQ(ends.size(), 1u);
  w.clock().advance(11ms);
  EXPECT_EQ(ends, (std::vector{delay_end::over, delay_end::over}));
  EXPECT_TRUE(both.done());
}

// spec: S15
TEST(delay_provider, a_delay_that_goes_away_cancels_its_timer) {
  harness w;
  std::vector<delay_end> ends;
  {
    const job both = pause_twice(delay_provider{w.timers()}, ends);
    const auto kept = delay_provider{w.timers()}.after(1s);
    EXPECT_EQ(w.timers().metrics().active_total, 2u);
  }
  EXPECT_EQ(w.timers().metrics().active_total, 0u);
  w.clock().advance(2s);
  EXPECT_TRUE(ends.empty());
}

// spec: S15
TEST(delay_provider, a_delay_that_is_assigned_to_cancels_its_first_timer) {
  harness w;
  const delay_provider delays{w.timers()};
  auto one = delays.after(10ms);
  auto two = delays.after(20ms);
  *one = std::move(*two);
  EXPECT_EQ(w.timers().metrics().active_total, 1u);
  w.clock().advance(11ms);
  EXPECT_EQ(one->ended(), std::nullopt);
  w.clock().advance(11ms);
  EXPECT_EQ(one->ended(), delay_end::over);
}

// spec: S15
TEST(delay_provider, a_closed_scheduler_ends_delays_as_cancelled) {
  harness w;
  const delay_provider delays{w.timers()};
  std::vector<delay_end> ends;
  const job both = pause_twice(delays, ends);
  w.timers().close();
  w.dispatcher().run_all();
  EXPECT_EQ(ends, std::vector{delay_end::cancelled});
  EXPECT_TRUE(both.done());  // a closed scheduler takes no second delay
}

// A dispatcher without memory for the run, or whose system has as many actors as it may have.
class refusing final : public job_dispatcher {
public:
  void dispatch(timer_job& job) noexcept override { (void)job.discard(post_result::refused); }
};

// spec: S15
TEST(delay_provider, a_coroutine_goes_on_although_the_dispatcher_refuses_its_delay) {
  harness w;
  refusing none;
  std::vector<delay_end> ends;
  const job both = pause_twice(delay_provider{w.timers(), &none}, ends);
  w.clock().advance(11ms);
  EXPECT_EQ(ends, std::vector{delay_end::cancelled});
  w.clock().advance(11ms);
  EXPECT_EQ(ends, (std::vector{delay_end::cancelled, delay_end::cancelled}));
  EXPECT_TRUE(both.done());
}

// spec: S15
TEST(delay_provider, refuses_a_delay_that_no_timer_can_take) {
  harness w;
  EXPECT_EQ(delay_provider{w.timers()}.after(0ms).error(), scheduler_error::invalid_delay);
}

// spec: S15
TEST(delay_provider, works_on_the_timers_of_a_simulation) {
  testkit::simulation world{testkit::seed{1}};
  auto pause = delay_provider{world.timers()}.after(1h);
  world.run_for(59min);
  EXPECT_EQ(pause->ended(), std::nullopt);
  world.run_for(2min);
  EXPECT_EQ(pause->ended(), delay_end::over);
}

// spec: S15
TEST(delay_provider, a_thread_waits_and_a_cancel_ends_the_wait) {
  actor_system system;
  const delay_provider delays{system.timers()};
  EXPECT_EQ(delays.after(1ms)->wait(), delay_end::over);

  auto longer = delays.after(1h);
  longer->cancel();
  EXPECT_EQ(longer->wait(), delay_end::cancelled);
}

// spec: S15
TEST(delay_provider, is_handed_out_by_each_kind_of_system) {
  testkit::simulation world{testkit::seed{1}};
  auto virtual_pause = world.delays().after(1h);
  world.run_for(2h);
  EXPECT_EQ(virtual_pause->ended(), delay_end::over);

  cooperative_system loop;
  auto short_pause = loop.delays().after(1ms);
  EXPECT_TRUE(loop.run_until([&] { return short_pause->ended().has_value(); }));
  EXPECT_EQ(short_pause->ended(), delay_end::over);

  actor_system system;
  EXPECT_EQ(system.delays().after(1ms)->wait(), delay_end::over);
}

struct begin {};

/// Hands its delays to a coroutine that is none of its handlers.
class employer : public actor<begin> {
public:
  explicit employer(std::promise<std::string>* to) : to_(to) {}
  void receive(context& ctx, begin) { work_.emplace(pause(ctx.delays(), *to_)); }

private:
  static job pause(delay_provider delays, std::promise<std::string>& to) {
    auto some_time = delays.after(1ms);
    if (some_time && co_await *some_time == delay_end::over) to.set_value(thread_name());
  }
  std::promise<std::string>* to_;
  std::optional<job> work_;
};

// spec: S15 S1a
TEST(delay_provider, of_an_actor_continues_coroutines_where_the_actor_runs) {
  std::promise<std::string> name;
  actor_system system{{.workers = 1, .dispatchers = {.blocking_threads = 1}}};
  const auto who = system.spawn<employer>({.dispatcher = dispatcher::blocking}, &name);
  who.tell(begin{});
  EXPECT_TRUE(name.get_future().get().starts_with("tactor-block-"));
}

}  // namespace
}  // namespace tactor::inline v0::host
