// SPDX-License-Identifier: BSL-1.0
// Futures and callbacks of other libraries as messages.
#include "tactor/core/actor/to_actor.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/future.hpp"
#include "tactor/testkit/probe.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <expected>
#include <future>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

void ignore_records(const log_record& /*what*/) noexcept {}

using shared_text = std::shared_future<std::string>;

struct fetch {
  shared_text from;
};
struct fetched {
  std::string text;
};
struct noise {};

// Writes down what its futures held.
class fetcher : public actor<fetch, fetched, noise> {
public:
  explicit fetcher(std::vector<std::string>* got) : got_(got) {}

  void receive(context& ctx, const fetch& f) {
    ctx.pipe_to_self(f.from, [](std::expected<std::string, failure> text) {
      return fetched{text ? *text : "failed: " + std::string{text.error().text()}};
    });
  }
  void receive(context&, const fetched& f) { got_->push_back(f.text); }
  void receive(context&, noise) { got_->emplace_back("noise"); }

private:
  std::vector<std::string>* got_;
};

using texts = std::vector<std::string>;

// spec: A3
TEST(pipe_to_self, sends_the_value_when_the_future_is_ready) {
  texts got;
  std::promise<std::string> made;
  simulation world{seed{1}};
  const auto who = world.spawn<fetcher>("fetcher", &got);
  who.tell(fetch{made.get_future().share()});
  world.run_for(1s);
  EXPECT_EQ(got, texts{});
  made.set_value("abc");
  world.run_for(11ms);
  EXPECT_EQ(got, texts{"abc"});
  EXPECT_EQ(world.timers().metrics().active_total, 0u);  // and looks no longer
}

// spec: A3
TEST(pipe_to_self, sends_a_failure_for_what_the_future_cannot_give) {
  texts got;
  std::promise<std::string> made;
  made.set_exception(std::make_exception_ptr(std::runtime_error{"gone"}));
  simulation world{seed{1}};
  const auto who = world.spawn<fetcher>("fetcher", &got);
  who.tell(fetch{made.get_future().share()});
  who.tell(fetch{shared_text{}});
  who.tell(fetch{std::async(std::launch::deferred, [] { return std::string{}; }).share()});
  world.run_for(1s);
  ASSERT_EQ(got.size(), 3u);
  EXPECT_NE(std::ranges::find(got, "failed: gone"), got.end());
  EXPECT_NE(std::ranges::find(got, "failed: the future has no state: it was used or moved from"),
            got.end());
}

// spec: A3
TEST(pipe_to_self, needs_no_place_in_a_full_mailbox) {
  texts got;
  std::promise<std::string> made;
  simulation world{seed{1}};
  const auto who = world.spawn<fetcher>({.name = "fetcher", .mailbox = {.capacity = 1}}, &got);
  who.tell(fetch{made.get_future().share()});
  (void)world.run_to_idle();
  world.suspend(who);
  (void)world.run_to_idle();
  who.tell(noise{});
  EXPECT_EQ(who.tell(noise{}), tell_result::full);
  made.set_value("abc");
  world.run_for(11ms);
  world.resume(who);
  (void)world.run_to_idle();
  EXPECT_EQ(got, (texts{"noise", "abc"}));
}

// spec: A3
TEST(pipe_to_self, ends_with_its_actor) {
  texts got;
  simulation world{seed{1}};
  const auto who = world.spawn<fetcher>("fetcher", &got);
  std::promise<std::string> never;
  who.tell(fetch{never.get_future().share()});
  world.run_for(100ms);
  EXPECT_EQ(world.timers().metrics().active_total, 1u);
  world.stop(who);
  world.run_for(11ms);
  EXPECT_EQ(world.timers().metrics().active_total, 0u);
  EXPECT_TRUE(world.shutdown().complete);
}

// spec: A3
TEST(pipe_to_self, works_with_futures_of_other_threads) {
  texts got;
  std::promise<void> all_came;
  auto came = all_came.get_future();
  {
    actor_system system{{.log = {.sink = ignore_records}}};
    const auto who = system.spawn(
        "who", behaviour<fetch, fetched>{
                   [](behaviour<fetch, fetched>::context& ctx, const fetch& f) {
                     ctx.pipe_to_self(f.from, [](std::expected<std::string, failure> text) {
                       return fetched{text.value_or("none")};
                     });
                   },
                   [&got, &all_came](tactor::context&, const fetched& f) {
                     got.push_back(f.text);
                     if (got.size() == 20) all_came.set_value();
                   }});
    for (int i = 0; i < 20; ++i)
      who.tell(fetch{std::async(std::launch::async, [i] { return std::to_string(i); }).share()});
    came.wait();
  }
  std::ranges::sort(got);
  texts expected;
  for (int i = 0; i < 20; ++i)
    expected.push_back(std::to_string(i));
  std::ranges::sort(expected);
  EXPECT_EQ(got, expected);
}

// Callbacks.

// spec: A8
TEST(to_actor, has_its_place_reserved_in_a_full_mailbox) {
  for (const auto rule : {overflow_strategy::reject, overflow_strategy::drop_newest,
                          overflow_strategy::drop_oldest, overflow_strategy::block_producer}) {
    texts got;
    simulation world{seed{1}};
    const auto who = world.spawn<fetcher>(
        {.name = "fetcher", .mailbox = {.capacity = 1, .overflow = rule}}, &got);
    world.suspend(who);
    (void)world.run_to_idle();
    auto callback = to_actor(who, [](int n) { return fetched{std::to_string(n)}; });
    ASSERT_TRUE(callback);
    who.tell(noise{});
    callback(7);
    EXPECT_FALSE(callback);
    callback(8);  // nothing
    world.resume(who);
    (void)world.run_to_idle();
    std::ranges::sort(got);
    EXPECT_EQ(got, (texts{"7", "noise"}));
  }
}

struct pause {
  int number = 0;
};
// Suspends itself with each message.
class pausing : public actor<pause> {
public:
  explicit pausing(texts* got) : got_(got) {}
  void receive(context& ctx, pause p) {
    got_->push_back(std::to_string(p.number));
    (void)ctx.suspend();
  }

private:
  texts* got_;
};

// spec: A8 P1
TEST(to_actor, waits_while_the_actor_is_suspended) {
  for (const auto rule : {overflow_strategy::reject, overflow_strategy::drop_oldest}) {
    texts got;
    simulation world{seed{1}};
    const auto who =
        world.spawn<pausing>({.name = "who", .mailbox = {.capacity = 1, .overflow = rule}}, &got);
    for (int i = 1; i <= 3; ++i)
      to_actor(who, [](int n) { return pause{n}; })(i);
    for (int handled = 1; handled <= 3; ++handled) {
      (void)world.run_to_idle();
      EXPECT_EQ(got.size(), static_cast<std::size_t>(handled));
      world.resume(who);
    }
    EXPECT_EQ(got, (texts{"1", "2", "3"}));
  }
}

// spec: A8
TEST(to_actor, reaches_an_actor_that_drains_and_is_a_dead_letter_for_an_actor_that_has_ended) {
  texts got;
  simulation world{seed{1}};
  auto letters = world.spawn_probe<dead_letter>("letters");
  ASSERT_TRUE(world.events().subscribe<dead_letter>(letters.ref()));
  const auto who = world.spawn<fetcher>("fetcher", &got);
  (void)world.run_to_idle();
  auto early = to_actor(who, [](int n) { return fetched{std::to_string(n)}; });
  auto late = to_actor(who, [](int n) { return fetched{std::to_string(n)}; });
  EXPECT_TRUE(late.is_awaited());
  who.tell(noise{});
  world.drain(who);
  early(1);
  (void)world.run_to_idle();
  EXPECT_EQ(got, (texts{"noise", "1"}));
  EXPECT_FALSE(late.is_awaited());
  late(2);
  EXPECT_EQ(letters.expect<dead_letter>().reason, drop_reason::stopped);
}

// spec: D4
TEST(to_actor, has_no_place_at_an_actor_that_drains_already) {
  std::vector<std::string> got;
  simulation world{seed{1}};
  const auto who = world.spawn<fetcher>({.name = "who"}, &got);
  ASSERT_TRUE(world.suspend(who));
  (void)world.run_to_idle();
  who.tell(noise{});
  const auto make = [](const char* text) { return fetched{text}; };
  auto before = to_actor(who, make);
  world.drain(who);
  auto after = to_actor(who, make);
  ASSERT_TRUE(after) << "there is memory for it";
  after("late");
  before("early");
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::draining), 1u);
  ASSERT_TRUE(world.resume(who));
  (void)world.run_to_idle();
  EXPECT_EQ(got, (std::vector<std::string>{"noise", "early"}));
}

// spec: D4
TEST(pipe_to_self, has_no_place_at_an_actor_that_drains_already) {
  std::vector<std::string> got;
  simulation world{seed{1}};
  const auto who = world.spawn<fetcher>({.name = "who"}, &got);
  ASSERT_TRUE(world.suspend(who));
  (void)world.run_to_idle();
  std::promise<std::string> made;
  made.set_value("late");
  who.tell(fetch{made.get_future().share()});
  for (int i = 0; i < 100; ++i)
    who.tell(noise{});
  world.drain(who);
  ASSERT_TRUE(world.resume(who));
  world.run_for(20ms);
  EXPECT_EQ(got, std::vector<std::string>(100, "noise"));
}

// spec: A8
TEST(to_actor, reaches_an_actor_that_drains_and_waits_for_its_resumption) {
  for (const auto rule : {overflow_strategy::reject, overflow_strategy::drop_oldest,
                          overflow_strategy::block_producer}) {
    texts got;
    simulation world{seed{1}};
    const auto who = world.spawn<fetcher>(
        {.name = "fetcher", .mailbox = {.capacity = 1, .overflow = rule}}, &got);
    const auto text_of = [](int n) { return fetched{std::to_string(n)}; };
    auto first = to_actor(who, text_of);
    auto second = to_actor(who, text_of);
    world.suspend(who);
    who.tell(noise{});
    world.drain(who);
    (void)world.run_to_idle();
    EXPECT_EQ(who.tell(noise{}), tell_result::closed);
    EXPECT_TRUE(first.is_awaited());
    first(1);
    (void)world.run_to_idle();
    second(2);
    (void)world.run_to_idle();
    EXPECT_EQ(got, texts{});  // it is still suspended
    world.resume(who);
    (void)world.run_to_idle();
    std::ranges::sort(got);
    EXPECT_EQ(got, (texts{"1", "2", "noise"}));
    EXPECT_FALSE(second.is_awaited());
    const auto metrics = world.metrics();
    EXPECT_EQ(metrics.messages_sent, metrics.messages_handled);
  }
}

struct work {};
// Awaits a signal in one handler, and counts callbacks in the other.
class waiting_worker : public actor<work, fetched> {
public:
  explicit waiting_worker(texts* got) : got_(got) {}
  task<void> receive(context& ctx, work) {
    (void)co_await ctx.until(signal_key{7});
    got_->emplace_back("work");
  }
  void receive(context&, const fetched& f) { got_->push_back(f.text); }

private:
  texts* got_;
};

// spec: A3 A8
TEST(to_actor, reaches_an_actor_whose_drain_waits_for_a_coroutine) {
  texts got;
  simulation world{seed{1}};
  const auto who = world.spawn<waiting_worker>("worker", &got);
  auto callback = to_actor(who, [](int n) { return fetched{std::to_string(n)}; });
  who.tell(work{});
  (void)world.run_to_idle();
  world.drain(who);
  (void)world.run_to_idle();
  callback(1);
  (void)world.run_to_idle();
  EXPECT_EQ(got, texts{});
  world.signal(who, signal_key{7});
  (void)world.run_to_idle();
  EXPECT_EQ(got, (texts{"work", "1"}));
}

// spec: A8
TEST(to_actor, is_a_dead_letter_if_a_stop_ends_the_drain) {
  texts got;
  simulation world{seed{1}};
  auto letters = world.spawn_probe<dead_letter>("letters");
  ASSERT_TRUE(world.events().subscribe<dead_letter>(letters.ref()));
  const auto who = world.spawn<fetcher>("fetcher", &got);
  auto callback = to_actor(who, [](int n) { return fetched{std::to_string(n)}; });
  auto unhandled = to_actor(who, [](int n) { return fetched{std::to_string(n)}; });
  world.suspend(who);
  who.tell(noise{});
  world.drain(who);
  (void)world.run_to_idle();
  callback(1);
  (void)world.run_to_idle();
  unhandled(2);  // is in the queue of system messages when the actor ends
  world.stop(who);
  (void)world.run_to_idle();
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(letters.expect<dead_letter>().reason, drop_reason::stopped);
  EXPECT_EQ(got, texts{});
}

// spec: A8
TEST(to_actor, may_be_called_on_any_thread_and_outlive_the_system) {
  auto orphan = [] {
    std::latch came{20};
    actor_system system{{.log = {.sink = ignore_records}}};
    const auto who = system.spawn("who", [&came](tactor::context&, noise) { came.count_down(); });
    std::vector<std::thread> threads;
    for (int i = 0; i < 20; ++i)
      threads.emplace_back(
          [callback = to_actor(who, [] { return noise{}; })]() mutable { callback(); });
    came.wait();
    for (std::thread& each : threads)
      each.join();
    return to_actor(who, [] { return noise{}; });
  }();
  EXPECT_FALSE(orphan.is_awaited());
  orphan();
}

}  // namespace
}  // namespace tactor
