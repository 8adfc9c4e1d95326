// SPDX-License-Identifier: BSL-1.0
// A trace goes on through what is put aside: coroutines, stash, watches, callbacks, asks,
// callables.
#include "tactor/base/text_writer.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/future.hpp"
#include "tactor/observe.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"
#include "tactor/testkit/system_drive.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <expected>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;

constexpr trace_context example_context{
    .trace_high = 0x4bf92f3577b34da6, .trace_low = 0xa3ce929d0e0e4736, .span = 0x00f067aa0ba902b7};

struct arrived {
  std::string_view from;
};
struct inquiry {
  using reply = int;
};
struct silent_inquiry {
  using reply = int;
};

/// Writes down in which trace messages reach it. It answers an inquiry, and never a silent one.
class target : public actor<arrived, inquiry, silent_inquiry> {
public:
  struct log {
    void add(const std::optional<trace_context>& place) {
      const std::scoped_lock lock{mutex};
      seen.push_back(place);
      changed.notify_all();
    }
    void wait_for(std::size_t number) {
      std::unique_lock lock{mutex};
      changed.wait(lock, [&] { return seen.size() >= number; });
    }
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::optional<trace_context>> seen;
    std::vector<reply_to<int>> kept;
    std::optional<trace_context> asked;
  };

  explicit target(log* to) : to_(to) {}
  void receive(context&, const arrived&) { to_->add(trace_context::current()); }
  int receive(context&, const inquiry&) { return 1; }
  delegated<int> receive(context& ctx, const silent_inquiry&) {
    to_->kept.push_back(ctx.reply_later<int>());
    to_->asked = trace_context::current();
    return to_->kept.back().as_delegated();
  }

private:
  log* to_;
};
using target_ref = actor_ref<arrived, inquiry, silent_inquiry>;

struct sleeps {};
struct asks {};
struct blocks {};
struct completes {
  std::function<void(completion<int>)> start;
};
struct is_put_aside {};
struct opens_stash {};
struct watches {
  actor_ref<> whom;
};
struct over {};
struct calls_back {
  std::function<void(std::function<void()>)> library;
};
struct waits_for {
  std::shared_future<int> what;
};
struct has_come {};
struct asks_in_vain {};

struct spawns {};

/// Tells the target whenever a part of its life begins or ends.
struct ends {};
class child : public actor<ends> {
public:
  explicit child(target_ref to) : to_(to) { to_.tell(arrived{"constructor"}); }
  void pre_start(context&) { to_.tell(arrived{"pre_start"}); }
  void post_stop(context&) { to_.tell(arrived{"post_stop"}); }
  void receive(context& ctx, ends) { ctx.stop(); }

private:
  target_ref to_;
};

/// Does all of it, and then tells the target.
class doer : public actor<sleeps, asks, blocks, completes, is_put_aside, opens_stash, watches, over,
                          calls_back, waits_for, has_come, asks_in_vain, spawns> {
public:
  explicit doer(target_ref to) : to_(to) {}

  task<void> receive(context& ctx, sleeps) {
    (void)co_await ctx.sleep(5ms);
    to_.tell(arrived{"once"});
    (void)co_await ctx.sleep(5ms);
    to_.tell(arrived{"twice"});
  }
  task<void> receive(context& ctx, asks) {
    (void)co_await ctx.ask(to_, inquiry{}, 1s);
    to_.tell(arrived{"answered"});
  }
  task<void> receive(context& ctx, blocks) {
    const target_ref to = to_;
    (void)co_await ctx.run_blocking([](target_ref whom) { whom.tell(arrived{"call"}); }, to);
    to_.tell(arrived{"coroutine"});
  }
  task<void> receive(context& ctx, completes c) {
    (void)co_await ctx.completes<int>(c.start);
    to_.tell(arrived{"completed"});
  }
  void receive(context& ctx, const is_put_aside& m) {
    if (!is_open_) return (void)ctx.stash(m);
    to_.tell(arrived{"unstashed"});
  }
  void receive(context& ctx, opens_stash) {
    is_open_ = true;
    (void)ctx.unstash_all();
  }
  void receive(context& ctx, const watches& w) { (void)ctx.watch(w.whom, over{}); }
  void receive(context&, over) { to_.tell(arrived{"terminated"}); }
  void receive(context& ctx, const calls_back& c) {
    auto back = std::make_shared<decltype(to_actor(ctx.self(), made))>(to_actor(ctx.self(), made));
    c.library([back] { (*back)(); });
  }
  void receive(context& ctx, const waits_for& w) {
    ctx.pipe_to_self(w.what, [](std::expected<int, failure>) { return has_come{}; });
  }
  void receive(context&, has_come) { to_.tell(arrived{"called back"}); }
  void receive(context& ctx, asks_in_vain) {
    ctx.ask(to_, silent_inquiry{}, 5ms, [this](const auto&) { to_.tell(arrived{"timed out"}); });
  }

  void receive(context& ctx, spawns) { ctx.spawn<child>("child", to_).tell(ends{}); }

private:
  static has_come made() { return {}; }

  target_ref to_;
  bool is_open_ = false;
};

struct collected final : text_sink {
  void write(std::string_view piece) noexcept override { text += piece; }
  std::string text;
};
std::size_t count(const std::string& text, std::string_view part) {
  std::size_t number = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1))
    ++number;
  return number;
}

struct trace_goes_on : testing::Test {
  void SetUp() override {
    world.run_to_idle();
    ASSERT_TRUE(trace.start({.path = "/user/nobody"}));  // only what belongs to the example
  }
  template <class Message>
  void tell(Message what) {
    const trace_scope scope{example_context};
    who.tell(std::move(what));
  }
  /// So many messages have reached the target, each in the trace of the example.
  void expect_arrived(std::size_t number) {
    ASSERT_EQ(log.seen.size(), number);
    for (const auto& each : log.seen) {
      ASSERT_TRUE(each);
      EXPECT_EQ(each->trace_high, example_context.trace_high);
      EXPECT_EQ(each->trace_low, example_context.trace_low);
    }
  }
  /// The text of the trace, whose spans all have a parent.
  std::string otlp() {
    collected all;
    EXPECT_TRUE(trace.write(trace_format::otlp, all));
    EXPECT_EQ(count(all.text, "parentSpanId"), count(all.text, "\"spanId"));
    EXPECT_EQ(count(all.text, R"("traceId":"4bf92f3577b34da6a3ce929d0e0e4736")"),
              count(all.text, "\"traceId"));
    return all.text;
  }

  target::log log;
  testkit::simulation world{testkit::seed{7}};
  target_ref to = world.spawn<target>("target", &log);
  decltype(world.spawn<doer>("doer", to)) who = world.spawn<doer>("doer", to);
  loop_trace trace{world};
};

// spec: O3
TEST_F(trace_goes_on, after_each_await_of_a_coroutine) {
  tell(sleeps{});
  world.run_for(20ms);
  expect_arrived(2);
  const std::string text = otlp();
  EXPECT_EQ(count(text, R"("stringValue":"resumed")"), 2u) << "each part has a span";
  EXPECT_EQ(count(text, "\"spanId"), 5u);
}

TEST_F(trace_goes_on, after_an_awaited_ask) {
  tell(asks{});
  world.run_to_idle();
  expect_arrived(1);
  // asks, inquiry, the answer, what comes after it, arrived
  EXPECT_EQ(count(otlp(), "\"spanId"), 5u);
}

TEST_F(trace_goes_on, after_a_blocking_call) {
  tell(blocks{});
  world.run_to_idle();
  ASSERT_EQ(log.seen.size(), 2u);
  EXPECT_FALSE(log.seen[0]) << "the call has no envelope";
  log.seen.erase(log.seen.begin());
  expect_arrived(1);
  // blocks, the result, what comes after it, arrived
  EXPECT_EQ(count(otlp(), "\"spanId"), 4u);
}

TEST_F(trace_goes_on, after_a_completion_from_outside) {
  std::optional<completion<int>> pending;
  tell(completes{[&pending](completion<int> done) { pending.emplace(std::move(done)); }});
  world.run_to_idle();
  (*pending)(1);
  world.run_to_idle();
  expect_arrived(1);
  EXPECT_EQ(count(otlp(), "\"spanId"), 4u);
}

// A coroutine of an earlier message leaves nothing behind for the next one in its memory.
TEST_F(trace_goes_on, not_with_the_next_coroutine_in_the_same_memory) {
  for (int i = 0; i < 10; ++i) {
    tell(sleeps{});
    world.run_for(20ms);
  }
  expect_arrived(20);
  log.seen.clear();
  who.tell(sleeps{});
  world.run_for(20ms);
  ASSERT_EQ(log.seen.size(), 2u);
  EXPECT_FALSE(log.seen[0]);
  EXPECT_FALSE(log.seen[1]);
}

// spec: O3
TEST_F(trace_goes_on, through_a_stash) {
  tell(is_put_aside{});
  world.run_to_idle();
  who.tell(is_put_aside{});
  who.tell(opens_stash{});
  world.run_to_idle();
  ASSERT_EQ(log.seen.size(), 2u);
  EXPECT_FALSE(log.seen[1]) << "that one did not belong to it";
  log.seen.pop_back();
  expect_arrived(1);
  const std::string text = otlp();
  EXPECT_EQ(count(text, "is_put_aside\""), 2u) << "when it was put aside, and afterwards";
}

// What was sent before a trace does not become a part of it because it is put aside.
TEST_F(trace_goes_on, not_with_a_message_that_was_sent_before) {
  trace.stop();
  who.tell(is_put_aside{});
  ASSERT_TRUE(trace.start({}));
  world.run_to_idle();
  who.tell(opens_stash{});
  world.run_to_idle();
  EXPECT_EQ(log.seen.size(), 1u);
  collected all;
  ASSERT_TRUE(trace.write(trace_format::otlp, all));
  EXPECT_FALSE(all.text.contains("is_put_aside\""));
  EXPECT_TRUE(all.text.contains("opens_stash\""));
}

TEST_F(trace_goes_on, not_through_a_stash_after_its_end) {
  tell(is_put_aside{});
  world.run_to_idle();
  trace.stop();
  who.tell(opens_stash{});
  world.run_to_idle();
  ASSERT_EQ(log.seen.size(), 1u);
  EXPECT_FALSE(log.seen[0]);
}

// spec: O3
TEST_F(trace_goes_on, with_the_message_of_a_watch) {
  const auto other = world.spawn<target>("other", &log);
  world.run_to_idle();
  tell(watches{other});
  world.run_to_idle();
  world.stop(other);
  world.run_to_idle();
  expect_arrived(1);
}

// spec: O3
TEST_F(trace_goes_on, with_a_callback_of_another_library) {
  std::function<void()> kept;
  tell(calls_back{[&kept](std::function<void()> back) { kept = std::move(back); }});
  world.run_to_idle();
  kept();
  world.run_to_idle();
  expect_arrived(1);
  EXPECT_EQ(count(otlp(), "\"spanId"), 3u);
}

TEST_F(trace_goes_on, with_a_callback_on_a_thread_outside) {
  std::function<void()> kept;
  tell(calls_back{[&kept](std::function<void()> back) { kept = std::move(back); }});
  world.run_to_idle();
  std::thread{[&kept] { kept(); }}.join();
  world.run_to_idle();
  expect_arrived(1);
}

TEST_F(trace_goes_on, with_the_message_of_a_future) {
  std::promise<int> later;
  tell(waits_for{later.get_future().share()});
  world.run_to_idle();
  later.set_value(1);
  world.run_for(50ms);
  expect_arrived(1);
}

TEST_F(trace_goes_on, when_an_answer_comes_from_outside_that_has_taken_its_place_along) {
  tell(asks_in_vain{});
  world.run_to_idle();
  ASSERT_EQ(log.kept.size(), 1u);
  ASSERT_TRUE(log.asked);
  {
    const trace_scope scope{*log.asked};
    log.kept[0].send(7);
  }
  world.run_to_idle();
  expect_arrived(1);
  // asks_in_vain, silent_inquiry, the answer, arrived
  EXPECT_EQ(count(otlp(), "\"spanId"), 4u);
}

// spec: O3
TEST_F(trace_goes_on, not_in_hooks_which_have_no_envelope) {
  tell(spawns{});
  world.run_to_idle();
  ASSERT_EQ(log.seen.size(), 3u) << "of the constructor, the start and the end";
  for (const auto& each : log.seen)
    EXPECT_FALSE(each);
  EXPECT_EQ(count(otlp(), "\"spanId"), 2u) << "spawns, ends";
}

// spec: O3
TEST_F(trace_goes_on, not_if_the_other_program_does_not_want_it) {
  trace_context unsampled = example_context;
  unsampled.sampled = false;
  {
    const trace_scope scope{unsampled};
    who.tell(sleeps{});
    who.tell(asks{});
  }
  trace.stop();
  ASSERT_TRUE(trace.start({}));
  world.run_for(20ms);
  ASSERT_EQ(log.seen.size(), 3u);
  for (const auto& each : log.seen)
    EXPECT_FALSE(each);
}

TEST(trace_of_threads_goes_on, through_all_of_it) {
  target::log log;
  actor_system system{{.workers = 2}};
  const auto to = system.spawn<target>("target", &log);
  const auto who = system.spawn<doer>("doer", to);
  const auto other = system.spawn<target>("other", &log);
  testkit::system_steps::settle(system);
  ASSERT_TRUE(system.start_trace({.path = "/user/nobody"}));
  std::promise<std::function<void()>> callback;
  std::promise<int> later;
  {
    const trace_scope scope{example_context};
    who.tell(sleeps{});                                            // 2
    who.tell(asks{});                                              // 1
    who.tell(blocks{});                                            // 2
    who.tell(is_put_aside{});                                      // 1
    who.tell(opens_stash{});                                       //
    who.tell(watches{other});                                      // 1
    who.tell(waits_for{later.get_future().share()});               // 1
    who.tell(calls_back{[&callback](std::function<void()> back) {  // 1
      callback.set_value(std::move(back));
    }});
  }
  callback.get_future().get()();
  later.set_value(1);
  testkit::system_steps::settle(system);
  system.stop(other);
  log.wait_for(9);
  testkit::system_steps::settle(system);
  system.stop_trace();
  EXPECT_EQ(log.seen.size(), 9u);
  EXPECT_EQ(std::erase(log.seen, std::nullopt), 1u) << "the call has no envelope";
  for (std::size_t i = 0; i < log.seen.size(); ++i)
    EXPECT_EQ(log.seen[i]->trace_low, example_context.trace_low) << i;
}

}  // namespace
}  // namespace tactor
