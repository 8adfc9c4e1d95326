// SPDX-License-Identifier: BSL-1.0
// Actors that wait for each other's answers, or for capacity in each other's mailboxes.
#include "tactor/core/life/wait_walk.hpp"

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/actor/coroutine/several.hpp"
#include "tactor/core/actor/coroutine/task.hpp"
#include "tactor/core/actor/reply_to.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <expected>
#include <functional>  // NOLINT(portability-restrict-system-includes): for tests
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;
using texts = std::vector<std::string>;

struct question {
  using reply = int;
};
struct begin {};
struct note {
  int number = 0;
};

/// An actor whose two handlers the test writes.
class member : public actor<begin, question, note> {
public:
  std::function<task<void>(context&, member&)> on_begin;
  std::function<task<int>(context&, member&)> on_question;
  std::string name;
  texts* said = nullptr;

  member() = default;
  member(std::string called, texts* into, std::function<task<void>(context&, member&)> begins,
         std::function<task<int>(context&, member&)> answers)
      : on_begin(std::move(begins)),
        on_question(std::move(answers)),
        name(std::move(called)),
        said(into) {}

  task<void> receive(context& ctx, begin) { co_await on_begin(ctx, *this); }
  task<int> receive(context& ctx, question) { co_return co_await on_question(ctx, *this); }
  void receive(context&, const note&) {}

  void say(const std::expected<int, ask_error>& answer) {
    said->push_back(name + ": " +
                    (answer ? std::to_string(*answer) : to_text(answer.error().kind)));
  }
};

using member_ref = actor_ref<begin, question, note>;

task<void> nothing(context&, member&) {
  co_return;
}
task<int> seven(context&, member&) {
  co_return 7;
}

/// Asks `whom`, and says what came.
auto asks(const member_ref& whom, duration timeout) {
  return [&whom, timeout](context& ctx, member& self) -> task<void> {
    self.say(co_await ctx.ask<question>(whom, timeout));
  };
}
/// Asks `whom` before it answers.
auto asks_first(const member_ref& whom, duration timeout) {
  return [&whom, timeout](context& ctx, member& self) -> task<int> {
    self.say(co_await ctx.ask<question>(whom, timeout));
    co_return 8;
  };
}
/// Answers after `time`.
auto sleeps_for(duration time) {
  return [time](context& ctx, member&) -> task<int> {
    co_await ctx.sleep(time);
    co_return 3;
  };
}
/// Sends `whom` more notes than its mailbox takes, and waits until they are in it.
auto sends_to(const member_ref& whom) {
  return [&whom](context& ctx, member&) -> task<int> {
    for (int number = 0; number < 5; ++number)
      (void)whom.tell(note{number});
    co_await ctx.sleep(10ms);
    co_return 9;
  };
}

struct wait_walk_world : testing::Test {
  simulation world{seed{3}};
  std::vector<stuck_actors> stuck;
  texts said;
  member_ref a;
  member_ref b;
  member_ref c;

  wait_walk_world() {
    const auto watcher = world.spawn(
        "watcher", [this](context&, const stuck_actors& each) { stuck.push_back(each); });
    EXPECT_TRUE(world.events().subscribe<stuck_actors>(watcher));
  }
  member_ref make(const char* name, std::function<task<void>(context&, member&)> begins,
                  std::function<task<int>(context&, member&)> answers, mailbox_options mail = {}) {
    return world.spawn<member>({.name = name, .mailbox = mail}, name, &said, std::move(begins),
                               std::move(answers));
  }
  /// Tells `first` to begin, and lets `time` pass.
  void begin_at(const member_ref& first, duration time) {
    (void)first.tell(begin{});
    (void)world.run_for(time);
  }
  static mailbox_options waits_for(std::uint32_t capacity) {
    return {.capacity = capacity, .overflow = overflow_strategy::block_producer};
  }
  /// One report, of these actors in this order; any of them may be the first.
  void expect_stuck(const std::vector<actor_ref<>>& actors, const actor_ref<>& refused) {
    ASSERT_EQ(stuck.size(), 1U);
    const stuck_actors& only = stuck.front();
    EXPECT_EQ(only.refused, refused);
    std::vector<actor_ref<>> found{only.actors.begin(), only.actors.begin() + only.size};
    std::ranges::rotate(found, std::ranges::find(found, actors.front()));
    EXPECT_EQ(found, actors);
  }
  const std::string would_deadlock = to_text(ask_failure::would_deadlock);
  const std::string timed_out = to_text(ask_failure::timed_out);
};

// spec: A2b
TEST_F(wait_walk_world, a_cycle_of_asks_ends_after_a_second_with_the_next_timeout) {
  a = make("a", asks(b, 20s), seven);
  b = make("b", nothing, asks_first(a, 10s));

  begin_at(a, 990ms);
  EXPECT_EQ(said, texts{});

  (void)world.run_for(100ms);
  EXPECT_EQ(said, (texts{"b: " + would_deadlock, "a: 8"}));
  expect_stuck({a, b}, b);
}

// spec: A2b
TEST_F(wait_walk_world, a_cycle_of_three_is_reported_once) {
  a = make("a", asks(b, 10s), seven);
  b = make("b", nothing, asks_first(c, 11s));
  c = make("c", nothing, asks_first(a, 12s));

  begin_at(a, 5s);
  EXPECT_EQ(said, (texts{"a: " + would_deadlock, "c: 7", "b: 8"}));
  expect_stuck({a, b, c}, a);
}

// spec: A2b
TEST_F(wait_walk_world, an_awaited_ask_of_an_actor_that_waits_to_send_is_a_cycle) {
  a = make("a", asks(b, 10s), seven, waits_for(2));
  b = make("b", nothing, sends_to(a));

  begin_at(a, 2s);
  EXPECT_EQ(said, texts{"a: " + would_deadlock});
  expect_stuck({b, a}, a);
}

// spec: A2b
TEST_F(wait_walk_world, an_actor_that_awaits_a_signal_is_named_and_waits_on) {
  a = make(
      "a", [](context& ctx, member&) -> task<void> { co_await ctx.until({42}); }, seven,
      waits_for(2));
  b = make(
      "b",
      [this](context& ctx, member& self) -> task<void> {
        (void)co_await sends_to(a)(ctx, self);
        (void)ctx.signal(a, {42});
      },
      seven);

  (void)a.tell(begin{});
  begin_at(b, 1500ms);
  expect_stuck({b, a}, {});
  EXPECT_EQ(stuck.front().signal, signal_key{42});
}

// spec: A2b
TEST_F(wait_walk_world, an_ask_that_another_actor_answers_is_no_cycle) {
  // B passes the question on before it asks A.
  a = make("a", asks(b, 10s), seven);
  std::optional<reply_to<int>> kept;
  b = make("b", nothing, [&](context& ctx, member& self) -> task<int> {
    kept = ctx.reply_later<int>();
    self.say(co_await ctx.ask<question>(a, 10s));
    co_return 8;
  });

  begin_at(a, 3s);
  EXPECT_EQ(said, texts{});
  kept->send(5);
  (void)world.run_for(1s);
  EXPECT_EQ(said, (texts{"a: 5", "b: 7"}));
  EXPECT_TRUE(stuck.empty());
}

// spec: A2b
TEST_F(wait_walk_world, an_ask_beside_something_else_is_no_cycle) {
  a = make("a", asks(b, 10s), seven);
  b = make("b", nothing, [&](context& ctx, member& self) -> task<int> {
    const auto first = co_await first_of(asks_first(a, 10s)(ctx, self), sleeps_for(4s)(ctx, self));
    co_return first.index() == 1 ? 4 : 0;
  });

  begin_at(a, 5s);
  EXPECT_EQ(said, texts{"a: 4"});
  EXPECT_TRUE(stuck.empty());
}

// spec: A2b
TEST_F(wait_walk_world, a_slow_answer_is_no_cycle) {
  a = make("a", asks(b, 10s), seven);
  b = make("b", nothing, sleeps_for(3s));

  begin_at(a, 4s);
  EXPECT_EQ(said, texts{"a: 3"});
  EXPECT_TRUE(stuck.empty());
}

}  // namespace
}  // namespace tactor
