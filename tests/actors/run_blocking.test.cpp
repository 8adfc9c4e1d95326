// SPDX-License-Identifier: BSL-1.0
// Calls that block and other results that come from no actor, awaited by coroutine handlers.
#include "tactor/coroutine.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/cooperative_system.hpp"
#include "tactor/testkit/probe.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <expected>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

void ignore_records(const log_record& /*what*/) noexcept {}

struct load {
  using reply = std::string;
};
struct ping {
  using reply = int;
};
struct fall {};

using job = std::function<std::string()>;

struct live_frame {
  explicit live_frame(std::atomic<int>* count) : of(count) { ++*of; }
  live_frame(const live_frame&) = delete;
  live_frame& operator=(const live_frame&) = delete;
  ~live_frame() { --*of; }
  std::atomic<int>* of;
};

// Runs `what` where it may block, and answers with its result.
class loader : public actor<load, ping> {
public:
  loader(job what, std::atomic<int>* frames) : what_(std::move(what)), frames_(frames) {}

  task<std::string> receive(context& ctx, load) {
    const live_frame here{frames_};
    const auto got = co_await ctx.run_blocking(what_);
    co_return got ? *got : "failed: " + std::string{got.error().text()};
  }
  int receive(context&, ping) { return ++pings_; }

private:
  job what_;
  std::atomic<int>* frames_;
  int pings_ = 0;
};

std::string thread_name() {
  std::array<char, 16> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  return name.data();
}

// spec: A3 P7
TEST(run_blocking, in_a_simulation_is_a_step_of_its_own_and_suspends_the_actor) {
  std::atomic<int> frames = 0;
  int runs = 0;
  simulation world{seed{1}};
  const job count = [&runs] { return std::to_string(++runs); };
  const auto who = world.spawn<loader>("loader", count, &frames);
  auto answer = world.ask(who, load{}, 1s);
  auto after = world.ask(who, ping{}, 1s);

  while (frames == 0)
    ASSERT_TRUE(world.run_one());
  EXPECT_EQ(runs, 0);  // its handler has returned, and the call has not begun
  EXPECT_FALSE(after.ready());
  EXPECT_EQ(std::move(answer).get(), "1");
  EXPECT_EQ(std::move(after).get(), 1);
  EXPECT_EQ(frames, 0);
}

// spec: A3
TEST(run_blocking, what_the_call_throws_is_a_failure_that_the_coroutine_gets) {
  std::atomic<int> frames = 0;
  simulation world{seed{1}};
  const job throws = []() -> std::string { throw std::runtime_error{"disk is gone"}; };
  const auto who = world.spawn<loader>("loader", throws, &frames);
  EXPECT_EQ(world.ask(who, load{}, 1s).get(), "failed: disk is gone");
  EXPECT_EQ(world.ask(who, ping{}, 1s).get(), 1);  // the actor has not failed
}

class kinds : public actor<load> {
public:
  task<std::string> receive(context& ctx, load) {
    const auto nothing = co_await ctx.run_blocking([] {});
    static_assert(std::is_same_v<decltype(nothing), const std::expected<void, failure>>);
    const auto said = co_await ctx.run_blocking(
        []() -> std::expected<int, failure> { return std::unexpected{failure{"no", 7}}; });
    static_assert(std::is_same_v<decltype(said), const std::expected<int, failure>>);
    auto moved = std::make_unique<int>(40);
    const auto sum = co_await ctx.run_blocking([](std::unique_ptr<int> a, int b) { return *a + b; },
                                               std::move(moved), 2);
    co_return std::to_string(nothing.has_value()) + std::to_string(said.error().code()) +
        std::to_string(*sum);
  }
};

// spec: A3
TEST(run_blocking, passes_arguments_and_every_kind_of_result) {
  simulation world{seed{1}};
  EXPECT_EQ(world.ask(world.spawn<kinds>("kinds"), load{}, 1s).get(), "1742");
}

// spec: A3
TEST(run_blocking, does_not_run_a_call_that_has_not_begun_when_its_actor_stops) {
  int not_run = 0;
  for (unsigned each = 1; each <= 20; ++each) {
    std::atomic<int> frames = 0;
    int runs = 0;
    simulation world{seed{each}};
    const job count = [&runs] { return std::to_string(++runs); };
    const auto who = world.spawn<loader>("loader", count, &frames);
    auto answer = world.ask(who, load{}, 1s);
    while (frames == 0)
      ASSERT_TRUE(world.run_one());
    world.stop(who);
    while (frames == 1)
      ASSERT_TRUE(world.run_one());
    const int ran = runs;
    (void)world.run_to_idle();
    EXPECT_EQ(runs, ran);  // none begins after the end of the frame
    not_run += runs == 0 ? 1 : 0;
    EXPECT_EQ(std::move(answer).get().error().kind, ask_failure::target_terminated);
  }
  EXPECT_GT(not_run, 0);
  EXPECT_LT(not_run, 20);
}

// spec: A3
TEST(run_blocking, is_refused_with_a_clear_text_where_nothing_may_block) {
  std::atomic<int> frames = 0;
  cooperative_system world{{.log = {.sink = ignore_records}}};
  const job unused = []() -> std::string { return "ran"; };
  const auto who = world.spawn<loader>("loader", unused, &frames);
  const auto said = world.ask(who, load{}, 1s).get();
  ASSERT_TRUE(said.has_value());
  EXPECT_NE(said->find("no blocking pool here"), std::string::npos) << *said;

  cooperative_system mapped{
      {.dispatchers = {.all_on_pool = true}, .log = {.sink = ignore_records}}};
  EXPECT_EQ(mapped.ask(mapped.spawn<loader>("loader", unused, &frames), load{}, 1s).get(), "ran");
}

// spec: A3 D5
TEST(run_blocking, says_that_the_system_is_stopping_and_gives_no_advice_to_spawn) {
  const std::string_view said = internal::not_run_because(spawn_error::stopping);
  EXPECT_EQ(said.find("spawn"), std::string_view::npos) << said;
  EXPECT_NE(said.find("stopping"), std::string_view::npos) << said;
}

TEST(run_blocking, runs_on_a_thread_for_what_blocks_while_the_pool_goes_on) {
  std::atomic<int> frames = 0;
  std::latch go_on{1};
  actor_system system{{.workers = 1, .log = {.sink = ignore_records}}};
  const job waits = [&go_on] {
    go_on.wait();
    return thread_name();
  };
  const auto who = system.spawn<loader>("loader", waits, &frames);
  const auto other = system.spawn<loader>("other", waits, &frames);
  auto answer = system.ask(who, load{}, 1min);
  EXPECT_EQ(system.ask(other, ping{}, 1min).get(), 1);  // the only worker is free
  go_on.count_down();
  EXPECT_EQ(std::move(answer).get()->substr(0, 13), "tactor-block-");
}

// Captured by the call: says when it is gone.
// spec: A3 A2b
TEST(run_blocking, may_wait_for_an_answer) {
  actor_system system{{.log = {.sink = ignore_records}}};
  std::atomic<int> frames{0};
  const auto other = system.spawn<loader>("other", [] { return std::string{}; }, &frames);
  const job ask_other = [&] {
    return "got " + std::to_string(system.ask(other, ping{}, 1min).get().value_or(0));
  };
  const auto who = system.spawn<loader>("loader", ask_other, &frames);
  EXPECT_EQ(system.ask(who, load{}, 1min).get().value_or(""), "got 1");
}

struct captured {
  explicit captured(std::atomic<bool>* flag) : alive(flag) { *alive = true; }
  captured(const captured&) = delete;
  captured& operator=(const captured&) = delete;
  ~captured() { *alive = false; }
  std::atomic<bool>* alive;
};

// The call begins, its actor ends, and then the call goes on.
struct held_call {
  std::atomic<int> frames = 0;
  std::atomic<bool> alive = false;
  std::atomic<int> seen_alive = 0;
  std::latch begun{1};
  std::latch go_on{1};

  job as_job() {
    return [this, kept = std::make_shared<captured>(&alive)] {
      begun.count_down();
      go_on.wait();
      seen_alive += *kept->alive ? 1 : 0;
      return std::string{"late"};
    };
  }
};

// spec: A3 A5
TEST(run_blocking, outlives_its_actor_safely_when_that_stops) {
  held_call call;
  std::atomic<int> dead_letters = 0;
  actor_system system{{.log = {.sink = ignore_records}}};
  const auto listener = system.spawn(
      "listener", [&dead_letters](tactor::context&, const dead_letter&) { ++dead_letters; });
  ASSERT_TRUE(system.events().subscribe<dead_letter>(listener));
  const auto who = system.spawn<loader>("loader", call.as_job(), &call.frames);
  auto answer = system.ask(who, load{}, 1min);
  call.begun.wait();
  EXPECT_EQ(call.frames, 1);
  system.stop(who);
  EXPECT_EQ(std::move(answer).get().error().kind, ask_failure::target_terminated);
  EXPECT_EQ(call.frames, 0);  // destroyed before the asker was told
  call.go_on.count_down();
  EXPECT_TRUE(system.shutdown().complete);
  EXPECT_EQ(call.seen_alive, 1);  // what it captured lived as long as it ran
  EXPECT_EQ(dead_letters, 0);
}

// spec: A3 A5
TEST(run_blocking, is_waited_for_by_a_shutdown_and_its_frame_is_gone) {
  held_call call;
  {
    actor_system system{{.log = {.sink = ignore_records}}};
    const auto who = system.spawn<loader>("loader", call.as_job(), &call.frames);
    auto answer = system.ask(who, load{}, 1min);
    call.begun.wait();
    std::thread shutting{[&] { (void)system.shutdown(1min); }};
    call.go_on.count_down();
    shutting.join();
    EXPECT_EQ(std::move(answer).get(), "late");  // a drain waits for what awaits
  }
  EXPECT_EQ(call.frames, 0);
  EXPECT_FALSE(call.alive);
}

struct begin_call {};
// A re-entrant one, so that it can fail while the call runs.
class unlucky : public actor<begin_call, fall, ping> {
public:
  explicit unlucky(held_call* call) : call_(call) {}
  reentrant_task<void> receive(context& ctx, begin_call) {
    const live_frame here{&call_->frames};
    const job what = call_->as_job();
    (void)co_await ctx.run_blocking(what);
    ++resumed_;
  }
  std::expected<void, failure> receive(context&, fall) { return std::unexpected{failure{"fell"}}; }
  int receive(context&, ping) { return resumed_; }

private:
  held_call* call_;
  int resumed_ = 0;
};

// spec: A3 A5
TEST(run_blocking, outlives_its_actor_safely_when_that_restarts) {
  held_call call;
  actor_system system{{.log = {.sink = ignore_records}}};
  const auto who = system.spawn<unlucky>({.name = "unlucky", .on_failure = restart{}}, &call);
  who.tell(begin_call{});
  call.begun.wait();
  who.tell(fall{});
  EXPECT_EQ(system.ask(who, ping{}, 1min).get(), 0);
  EXPECT_EQ(call.frames, 0);
  call.go_on.count_down();
  EXPECT_TRUE(system.shutdown().complete);
  EXPECT_EQ(call.seen_alive, 1);
}

// Other results.

struct read {
  using reply = std::string;
};
struct device {
  std::optional<completion<std::string>> pending;
};

class reader : public actor<read> {
public:
  explicit reader(device* from) : from_(from) {}
  task<std::string> receive(context& ctx, read) {
    const auto got = co_await ctx.completes<std::string>(
        100ms, [&](completion<std::string> done) { from_->pending.emplace(std::move(done)); });
    co_return got ? *got : to_text(got.error());
  }

private:
  device* from_;
};

// spec: A3
TEST(completes, goes_on_with_the_result) {
  device from;
  simulation world{seed{1}};
  const auto who = world.spawn<reader>("reader", &from);
  auto answer = world.ask(who, read{}, 1s);
  (void)world.run_to_idle();
  ASSERT_TRUE(from.pending.has_value());
  EXPECT_TRUE(from.pending->is_awaited());
  (*from.pending)("abc");
  EXPECT_EQ(std::move(answer).get(), "abc");
}

// spec: A3
TEST(completes, ends_after_its_timeout_and_drops_a_late_result) {
  device from;
  simulation world{seed{1}};
  auto letters = world.spawn_probe<dead_letter>("letters");
  ASSERT_TRUE(world.events().subscribe<dead_letter>(letters.ref()));
  const auto who = world.spawn<reader>("reader", &from);
  EXPECT_EQ(world.ask(who, read{}, 1s).get(), to_text(completion_error::timed_out));
  EXPECT_FALSE(from.pending->is_awaited());
  auto late = std::move(*from.pending);
  from.pending.reset();
  auto answer = world.ask(who, read{}, 1s);
  (void)world.run_to_idle();
  late("of the first");
  (void)world.run_to_idle();
  EXPECT_FALSE(answer.ready());
  (*from.pending)("of the second");
  EXPECT_EQ(std::move(answer).get(), "of the second");
  letters.expect_no_message();
}

// spec: A3
TEST(completes, says_so_if_there_will_be_no_result) {
  device from;
  simulation world{seed{1}};
  const auto who = world.spawn<reader>("reader", &from);
  auto answer = world.ask(who, read{}, 1s);
  (void)world.run_to_idle();
  from.pending.reset();
  EXPECT_EQ(std::move(answer).get(), to_text(completion_error::abandoned));
}

class throwing_start : public actor<read> {
public:
  task<std::string> receive(context& ctx, read) {
    (void)co_await ctx.completes<int>(
        [](const completion<int>&) { throw std::runtime_error{"cannot start"}; });
    co_return "never";
  }
};

// spec: A3
TEST(completes, what_the_start_throws_is_the_actors_failure) {
  simulation world{seed{1}};
  const auto who = world.spawn<throwing_start>("who");
  EXPECT_EQ(world.ask(who, read{}, 1s).get().error().kind, ask_failure::target_failed);
}

class far_reader : public actor<read> {
public:
  task<std::string> receive(context& ctx, read) {
    std::string all;
    for (int i = 0; i < 50; ++i) {
      const auto got = co_await ctx.completes<int>([&](completion<int> done) {
        std::thread{[i, done = std::move(done)]() mutable { done(i); }}.detach();
      });
      all += std::to_string(got.value_or(-1));
    }
    co_return all;
  }
};

// spec: A3
TEST(completes, takes_results_from_foreign_threads) {
  std::string expected;
  for (int i = 0; i < 50; ++i)
    expected += std::to_string(i);
  actor_system system{{.log = {.sink = ignore_records}}};
  EXPECT_EQ(system.ask(system.spawn<far_reader>("reader"), read{}, 1min).get(), expected);
}

}  // namespace
}  // namespace tactor
