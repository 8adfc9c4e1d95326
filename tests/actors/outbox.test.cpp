// SPDX-License-Identifier: BSL-1.0
// Backpressure from actor to actor: outboxes, suspension, turns, and cycles of waiting actors.
#include "tactor/core/life/outbox.hpp"

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/actor/coroutine/task.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>  // NOLINT(portability-restrict-system-includes): for tests
#include <numeric>
#include <string>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::simulation;
using numbers = std::vector<int>;

struct note {
  int number = 0;
};
struct sum {
  int number = 0;
  using reply = int;
};
struct go {
  int number = 0;
};

numbers up_to(int last) {
  numbers all(static_cast<std::size_t>(last));
  std::iota(all.begin(), all.end(), 1);
  return all;
}

constexpr mailbox_options waits_for(std::uint32_t capacity) {
  return {.capacity = capacity, .overflow = overflow_strategy::block_producer};
}

// A sender that does what the test says, and a receiver that is suspended until the test resumes
// it.
struct outbox_world : testing::Test {
  simulation world{testkit::seed{7}};
  std::vector<dead_letter> lost;
  std::vector<backpressure_cycle> cycles;
  numbers received;
  numbers handled;  // by the sender
  std::function<void(context&, int)> script;
  actor_ref<note> receiver;
  actor_ref<go> sender;

  outbox_world() {
    const auto watcher =
        world.spawn("watcher", [this](context&, const dead_letter& each) { lost.push_back(each); });
    const auto warned = world.spawn(
        "warned", [this](context&, const backpressure_cycle& each) { cycles.push_back(each); });
    EXPECT_TRUE(world.events().subscribe<dead_letter>(watcher));
    EXPECT_TRUE(world.events().subscribe<backpressure_cycle>(warned));
    receiver = world.spawn({.name = "receiver", .mailbox = waits_for(2)},
                           [this](context&, const note& n) { received.push_back(n.number); });
    sender = world.spawn("sender", [this](context& ctx, const go& g) {
      handled.push_back(g.number);
      script(ctx, g.number);
    });
    EXPECT_TRUE(world.suspend(receiver).has_value());
    rest();
  }
  void rest() { (void)world.run_to_idle(); }
  void let_receive() {
    EXPECT_TRUE(world.resume(receiver).has_value());
    rest();
  }
  /// The receiver has a mailbox for one, so that messages arrive in the order of the permits.
  void narrow() {
    receiver = world.spawn({.name = "narrow", .mailbox = waits_for(1)},
                           [this](context&, const note& n) { received.push_back(n.number); });
    EXPECT_TRUE(world.suspend(receiver).has_value());
    rest();
  }
  /// The sender sends notes 1 to `last` in one handler.
  void send_up_to(int last, tell_result expected = tell_result::ok) {
    script = [this, last, expected](context&, int) {
      for (int number = 1; number <= last; ++number)
        EXPECT_EQ(receiver.tell(note{number}), expected) << number;
    };
    (void)sender.tell(go{1});
    rest();
  }
};

// spec: M2
TEST_F(outbox_world, messages_of_an_outbox_that_fill_the_mailbox_again_are_reported) {
  std::vector<std::uint32_t> depths;
  const auto listener = world.spawn(
      "listener", [&](context&, const mailbox_pressure& p) { depths.push_back(p.depth); });
  EXPECT_TRUE(world.events().subscribe<mailbox_pressure>(listener));
  int left = 8;
  receiver = world.spawn(
      {.name = "sink",
       .mailbox = {.capacity = 8, .overflow = overflow_strategy::block_producer, .pressure_at = 8}},
      [&](context& ctx, const note&) {
        if (--left == 0) (void)ctx.suspend();
      });
  EXPECT_TRUE(world.suspend(receiver).has_value());
  rest();
  send_up_to(16);
  EXPECT_EQ(depths, (std::vector<std::uint32_t>{8}));
  let_receive();  // eight, and the outbox has sent the other eight
  EXPECT_EQ(depths, (std::vector<std::uint32_t>{8, 8}));
}

// spec: M4b
TEST_F(outbox_world, a_handler_ends_and_what_it_sent_waits_in_order) {
  send_up_to(10);
  EXPECT_EQ(handled, numbers{1});
  let_receive();
  EXPECT_EQ(received, up_to(10));
  EXPECT_TRUE(lost.empty());
}

// spec: M4b
TEST_F(outbox_world, the_actor_is_suspended_until_its_outbox_is_empty) {
  send_up_to(3);
  (void)sender.tell(go{2});
  rest();
  EXPECT_EQ(handled, numbers{1});
  EXPECT_EQ(world.metrics().suspensions, 2u) << "receiver and sender";
  script = [](context&, int) {};
  let_receive();
  EXPECT_EQ(handled, (numbers{1, 2}));
  EXPECT_EQ(received, up_to(3));
}

// spec: M4b
TEST_F(outbox_world, no_other_caller_can_end_the_suspension) {
  send_up_to(3);
  EXPECT_EQ(world.resume(sender, suspend_reason::backpressure).error(),
            suspend_error::runtime_reason);
  (void)sender.tell(go{2});
  EXPECT_TRUE(world.resume(sender).has_value());
  rest();
  EXPECT_EQ(handled, numbers{1});
}

// spec: A10e
TEST_F(outbox_world, says_how_many_messages_still_fit) {
  std::vector<std::uint32_t> room;
  script = [&](context& ctx, int) {
    for (int number = 1; number <= 66; ++number) {
      if (number == 1 || number == 4 || number == 66) room.push_back(ctx.outbox_room(receiver));
      (void)receiver.tell(note{number});
    }
    room.push_back(ctx.outbox_room(receiver));
    room.push_back(ctx.outbox_room(ctx.self()));
  };
  (void)sender.tell(go{1});
  rest();
  // The mailbox takes two.
  EXPECT_EQ(room, (std::vector<std::uint32_t>{64, 63, 1, 0, 64}));
  EXPECT_TRUE(lost.empty());
  let_receive();
  script = [&](context& ctx, int) { room.push_back(ctx.outbox_room(receiver)); };
  (void)sender.tell(go{2});
  rest();
  EXPECT_EQ(room.back(), 64u);
}

// spec: M4b
TEST_F(outbox_world, holds_64_messages_for_a_receiver_and_refuses_more) {
  script = [this](context&, int) {
    for (int number = 1; number <= 66; ++number)
      EXPECT_EQ(receiver.tell(note{number}), tell_result::ok) << number;
    EXPECT_EQ(receiver.tell(note{67}), tell_result::full);
  };
  (void)sender.tell(go{1});
  rest();
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].reason, drop_reason::full);
  EXPECT_EQ(lost[0].sender, actor_ref<>{sender});
  let_receive();
  EXPECT_EQ(received, up_to(66));
}

// spec: M4b
TEST_F(outbox_world, is_one_for_each_receiver) {
  numbers second;
  const auto other = world.spawn({.name = "other", .mailbox = waits_for(1)},
                                 [&](context&, const note& n) { second.push_back(n.number); });
  EXPECT_TRUE(world.suspend(other).has_value());
  rest();
  script = [&](context&, int) {
    for (int number = 1; number <= 5; ++number) {
      EXPECT_EQ(receiver.tell(note{number}), tell_result::ok);
      EXPECT_EQ(other.tell(note{number}), tell_result::ok);
    }
  };
  (void)sender.tell(go{1});
  (void)sender.tell(go{2});
  rest();
  let_receive();
  EXPECT_EQ(received, up_to(5));
  EXPECT_EQ(handled, numbers{1}) << "the other outbox is not empty";
  script = [](context&, int) {};
  EXPECT_TRUE(world.resume(other).has_value());
  rest();
  EXPECT_EQ(second, up_to(5));
  EXPECT_EQ(handled, (numbers{1, 2}));
}

// spec: M4b
TEST_F(outbox_world, is_not_used_by_try_tell_which_overtakes_nothing) {
  script = [this](context&, int) {
    for (int number = 1; number <= 2; ++number)
      EXPECT_TRUE(receiver.try_tell(note{number}).has_value());
    const auto refused = receiver.try_tell(note{99});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().why, tell_result::full);
    EXPECT_EQ(refused.error().message.number, 99);
  };
  (void)sender.tell(go{1});
  rest();
  EXPECT_EQ(world.metrics().suspensions, 1u) << "only the receiver";
  let_receive();
  EXPECT_EQ(received, up_to(2));
}

// spec: M4b A2b
TEST_F(outbox_world, takes_an_ask_whose_timeout_runs_meanwhile) {
  const auto adder = world.spawn({.name = "adder", .mailbox = waits_for(1)},
                                 [](context&, const sum& s) { return s.number + 1; });
  EXPECT_TRUE(world.suspend(adder).has_value());
  rest();
  std::vector<std::string> said;
  script = [&](context& ctx, int) {
    for (int number = 1; number <= 3; ++number)
      ctx.ask(adder, sum{number}, number == 3 ? 10ms : 10s, [&said](context&, auto answer) {
        said.push_back(answer ? std::to_string(*answer) : to_text(answer.error().kind));
      });
  };
  (void)sender.tell(go{1});
  rest();
  world.run_for(20ms);
  EXPECT_EQ(said, std::vector<std::string>{to_text(ask_failure::timed_out)});
  EXPECT_EQ(world.metrics().suspensions, 3u) << "receiver, adder, and the sender until 2 is sent";
  EXPECT_TRUE(world.resume(adder).has_value());
  rest();
  EXPECT_EQ(said, (std::vector<std::string>{to_text(ask_failure::timed_out), "2", "3"}));
}

/// An actor that asks one whose full mailbox is never read again.
struct stuck_world : outbox_world {
  actor_ref<sum> stuck;
  std::vector<std::string> said;

  stuck_world() {
    stuck = world.spawn({.name = "stuck", .mailbox = waits_for(1)},
                        [](context&, const sum& s) { return s.number + 1; });
    EXPECT_TRUE(world.suspend(stuck).has_value());
    rest();
    EXPECT_TRUE(stuck.try_tell(sum{1}).has_value());
  }
  void note_answer(const std::expected<int, ask_error>& answer) {
    said.push_back(answer ? std::to_string(*answer) : to_text(answer.error().kind));
  }
  void expect_timed_out() {
    EXPECT_EQ(said, std::vector<std::string>{to_text(ask_failure::timed_out)});
  }
};

// spec: M4b A2b
TEST_F(stuck_world, ends_the_ask_of_a_continuation_in_time_and_the_asker_goes_on) {
  script = [this](context& ctx, int number) {
    if (number == 1)
      ctx.ask(stuck, sum{2}, 200ms, [this](context&, auto answer) { note_answer(answer); });
  };
  (void)sender.tell(go{1});
  (void)sender.tell(go{2});
  world.run_for(190ms);
  EXPECT_EQ(handled, numbers{1});
  world.run_for(20ms);
  expect_timed_out();
  EXPECT_EQ(handled, (numbers{1, 2}));
}

// spec: M4b A2b A2g
TEST_F(stuck_world, gets_no_message_of_an_ask_that_is_over) {
  script = [this](context& ctx, int) {
    ctx.ask(stuck, sum{2}, 200ms, [this](context&, auto answer) { note_answer(answer); });
  };
  (void)sender.tell(go{1});
  world.run_for(1s);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].reason, drop_reason::wait_timed_out);
  EXPECT_EQ(lost[0].sender, actor_ref<>{sender});
  EXPECT_TRUE(world.resume(stuck).has_value());
  rest();
  EXPECT_EQ(world.metrics().waiting(), 0u);
  EXPECT_TRUE(stuck.try_tell(sum{3}).has_value()) << "its permit is free";
}

// spec: M4b A2b
TEST_F(stuck_world, ends_each_ask_at_its_own_time_however_many_wait) {
  script = [this](context& ctx, int) {
    for (const duration timeout : {300ms, 100ms, 200ms})
      ctx.ask(stuck, sum{2}, timeout, [this](context&, auto answer) { note_answer(answer); });
  };
  (void)sender.tell(go{1});
  std::vector<std::size_t> ended;
  for (int i = 0; i < 3; ++i) {
    world.run_for(105ms);
    ended.push_back(said.size());
  }
  EXPECT_EQ(ended, (std::vector<std::size_t>{1, 2, 3}));
}

// spec: M4b A2b
TEST_F(stuck_world, an_answer_that_came_in_time_counts_also_if_another_ask_times_out_first) {
  const auto quick = world.spawn("quick", [](context&, const sum& s) { return s.number; });
  script = [this, quick](context& ctx, int) {
    (void)receiver.tell(note{1});  // the actor waits for this one, too
    (void)receiver.tell(note{2});
    (void)receiver.tell(note{3});
    ctx.ask(quick, sum{7}, 50ms, [this](context&, auto answer) { note_answer(answer); });
    ctx.ask(stuck, sum{2}, 100ms, [this](context&, auto answer) { note_answer(answer); });
  };
  (void)sender.tell(go{1});
  world.run_for(200ms);
  expect_timed_out();
  let_receive();
  EXPECT_EQ(said, (std::vector<std::string>{to_text(ask_failure::timed_out), "7"}));
}

// spec: M4b A2b A3
TEST_F(stuck_world, ends_the_ask_of_a_task_in_time) {
  const auto asker = world.spawn("asker", [this](context& ctx, go g) -> task<void> {
    handled.push_back(g.number);
    if (g.number == 1) note_answer(co_await ctx.ask<sum>(stuck, 200ms, 2));
  });
  (void)asker.tell(go{1});
  (void)asker.tell(go{2});
  world.run_for(210ms);
  expect_timed_out();
  EXPECT_EQ(handled, (numbers{1, 2}));
}

// spec: M4b A2b A3
TEST_F(stuck_world, ends_the_ask_of_a_reentrant_task_in_time) {
  const auto asker = world.spawn("asker", [this](context& ctx, go g) -> reentrant_task<void> {
    handled.push_back(g.number);
    if (g.number == 1) note_answer(co_await ctx.ask<sum>(stuck, 200ms, 2));
  });
  (void)asker.tell(go{1});
  (void)asker.tell(go{2});
  world.run_for(210ms);
  expect_timed_out();
  EXPECT_EQ(handled, (numbers{1, 2}));
}

// spec: M4b A3
TEST_F(stuck_world, a_task_waits_at_its_await_while_other_messages_wait) {
  const auto asker = world.spawn("asker", [this](context& ctx, go) -> task<void> {
    for (int number = 1; number <= 3; ++number)
      (void)receiver.tell(note{number});
    note_answer(co_await ctx.ask<sum>(stuck, 200ms, 2));
  });
  (void)asker.tell(go{1});
  world.run_for(300ms);
  EXPECT_TRUE(said.empty());
  let_receive();
  expect_timed_out();
}

struct stuck_asker : actor<go> {
  explicit stuck_asker(stuck_world* of) : world(of) {}
  task<void> ask(context& ctx) {
    world->note_answer(co_await ctx.ask<sum>(world->stuck, 200ms, 2));
  }
  task<void> nothing(context& /*ctx*/) { co_return; }
  task<void> receive(context& ctx, go g) {
    world->handled.push_back(g.number);
    if (g.number == 1) (void)co_await first_of(ask(ctx), nothing(ctx));
  }
  stuck_world* world;
};

// spec: M4b A3
TEST_F(stuck_world, an_ask_that_its_task_gives_up_leaves_the_outbox_at_once) {
  const auto asker = world.spawn<stuck_asker>({.name = "asker"}, this);
  (void)asker.tell(go{1});
  (void)asker.tell(go{2});
  rest();
  EXPECT_EQ(handled, (numbers{1, 2}));
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].reason, drop_reason::wait_timed_out);
}

// spec: M4b P6
TEST_F(stuck_world, a_restart_gives_up_the_asks_that_wait_in_an_outbox) {
  class unlucky : public actor<go> {
  public:
    explicit unlucky(stuck_world* of) : world_(of) {}
    std::expected<void, failure> receive(context& ctx, const go& g) {
      world_->handled.push_back(g.number);
      if (g.number == 2) return {};
      ctx.ask(world_->stuck, sum{2}, 200ms, [](context&, auto) {});
      return std::unexpected{failure{"after asking"}};
    }

  private:
    stuck_world* world_;
  };
  const auto who = world.spawn<unlucky>({.name = "unlucky", .on_failure = restart{}}, this);
  (void)who.tell(go{1});
  (void)who.tell(go{2});
  rest();
  EXPECT_EQ(handled, (numbers{1, 2}));
}

// spec: M4b A2d
TEST_F(stuck_world, does_not_keep_an_asker_that_drains_longer_than_its_ask) {
  script = [this](context& ctx, int) {
    ctx.ask(stuck, sum{2}, 200ms, [this](context&, auto answer) { note_answer(answer); });
  };
  (void)sender.tell(go{1});
  rest();
  world.drain(sender);
  world.run_for(210ms);
  EXPECT_EQ(sender.tell(go{2}), tell_result::closed);
  EXPECT_FALSE(world.find<go>("/user/sender"));
}

// spec: M4c
TEST_F(outbox_world, actors_are_served_in_turn) {
  narrow();
  const auto second = world.spawn("second", [this](context&, const go&) {
    for (int number = 101; number <= 104; ++number)
      EXPECT_EQ(receiver.tell(note{number}), tell_result::ok);
  });
  send_up_to(6);  // 2 to 6 wait
  (void)second.tell(go{});
  rest();
  let_receive();
  EXPECT_EQ(received, (numbers{1, 2, 101, 3, 102, 4, 103, 5, 104, 6}));
}

// spec: M4c
TEST_F(outbox_world, a_later_sender_does_not_overtake) {
  narrow();
  send_up_to(4);
  const auto late = world.spawn(
      "late", [this](context&, const go&) { EXPECT_EQ(receiver.tell(note{99}), tell_result::ok); });
  (void)late.tell(go{});
  rest();
  let_receive();
  EXPECT_EQ(received, (numbers{1, 2, 99, 3, 4}));
}

// The turns of this receiver end before half of its capacity is free.
// spec: M4b M4c
TEST_F(outbox_world, the_end_of_the_receivers_turn_makes_room) {
  receiver = world.spawn({.name = "patient", .mailbox = waits_for(8)},
                         [this](context& ctx, const note& n) {
                           received.push_back(n.number);
                           EXPECT_TRUE(ctx.suspend(suspend_reason::user_defined).has_value());
                         });
  EXPECT_TRUE(world.suspend(receiver).has_value());
  rest();
  send_up_to(10);  // 9 and 10 wait
  (void)sender.tell(go{2});
  script = [](context&, int) {};
  let_receive();
  EXPECT_EQ(received, up_to(1));
  EXPECT_EQ(handled, up_to(1)) << "10 waits";
  let_receive();
  EXPECT_EQ(received, up_to(2));
  EXPECT_EQ(handled, up_to(2));
  for (int i = 0; i < 8; ++i)
    let_receive();
  EXPECT_EQ(received, up_to(10));
}

// spec: M4d O1
TEST_F(outbox_world, becomes_dead_letters_when_its_actor_stops) {
  send_up_to(5);
  world.stop(sender);
  rest();
  EXPECT_EQ(world.metrics().waiting(), 2u) << "no mailbox had accepted the others";
  ASSERT_EQ(lost.size(), 3u);
  for (const dead_letter& each : lost)
    EXPECT_EQ(each.reason, drop_reason::sender_stopped);
  let_receive();
  EXPECT_EQ(received, up_to(2));
  EXPECT_EQ(receiver.tell(note{6}), tell_result::ok);
  EXPECT_EQ(receiver.tell(note{7}), tell_result::ok);
  EXPECT_FALSE(receiver.try_tell(note{8}).has_value()) << "no permit is lost, and none is made up";
}

// spec: M4d
TEST(outbox_permits, of_an_actor_that_stops_meanwhile_are_given_back) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    simulation world{testkit::seed{seed}};
    const auto receiver = world.spawn({.mailbox = waits_for(2)}, [](context&, const note&) {});
    const auto sender = world.spawn("", [&](context&, const go&) {
      for (int number = 1; number <= 5; ++number)
        (void)receiver.tell(note{number});
    });
    ASSERT_TRUE(world.suspend(receiver).has_value());
    (void)world.run_to_idle();
    (void)sender.tell(go{});
    (void)world.run_to_idle();
    ASSERT_TRUE(world.resume(receiver).has_value());
    for (std::uint64_t turn = 0; turn < seed % 8; ++turn)
      (void)world.run_one();
    world.stop(sender);
    (void)world.run_to_idle();
    ASSERT_TRUE(receiver.try_tell(note{6}).has_value()) << seed;
    ASSERT_TRUE(receiver.try_tell(note{7}).has_value()) << seed;
    ASSERT_FALSE(receiver.try_tell(note{8}).has_value()) << seed;
  }
}

// spec: M4d
TEST_F(outbox_world, becomes_dead_letters_when_the_receiver_stops_and_the_sender_goes_on) {
  send_up_to(5);
  script = [](context&, int) {};
  (void)sender.tell(go{2});
  world.stop(receiver);
  rest();
  ASSERT_EQ(lost.size(), 5u);
  for (const dead_letter& each : lost)
    EXPECT_EQ(each.reason, drop_reason::stopped);
  EXPECT_EQ(handled, (numbers{1, 2}));
}

// spec: M4d A2g
TEST_F(outbox_world, becomes_dead_letters_of_a_receiver_that_drains_and_says_so) {
  send_up_to(5);
  world.drain(receiver);
  rest();
  ASSERT_EQ(lost.size(), 3u);
  for (const dead_letter& each : lost)
    EXPECT_EQ(each.reason, drop_reason::draining);
  let_receive();
  EXPECT_EQ(received, up_to(2)) << "what was queued is handled";
}

// spec: M4b
TEST_F(outbox_world, survives_a_restart_of_its_actor) {
  class unlucky : public actor<go> {
  public:
    explicit unlucky(actor_ref<note> to) : to_(to) {}
    std::expected<void, failure> receive(context& /*ctx*/, const go& /*g*/) {
      for (int number = 1; number <= 5; ++number)
        (void)to_.tell(note{number});
      return std::unexpected{failure{"after sending"}};
    }

  private:
    actor_ref<note> to_;
  };
  const auto who = world.spawn<unlucky>({.name = "unlucky", .on_failure = restart{}}, receiver);
  (void)who.tell(go{});
  rest();
  let_receive();
  EXPECT_EQ(received, up_to(5));
  EXPECT_EQ(world.metrics().restarts, 1u);
  EXPECT_TRUE(lost.empty());
}

// spec: M4b A2d
TEST_F(outbox_world, is_sent_before_a_draining_actor_ends) {
  send_up_to(5);
  world.drain(sender);
  rest();
  EXPECT_TRUE(lost.empty());
  let_receive();
  EXPECT_EQ(received, up_to(5));
  EXPECT_TRUE(lost.empty());
  EXPECT_EQ(sender.tell(go{2}), tell_result::closed);
}

// spec: M4f
TEST_F(outbox_world, an_actor_does_not_wait_for_itself) {
  tell_result told = tell_result::ok;
  actor_ref<note> me;
  me = world.spawn({.name = "me", .mailbox = waits_for(1)}, [&](context&, const note& n) {
    if (n.number != 1) return;
    EXPECT_EQ(me.tell(note{2}), tell_result::ok);
    told = me.tell(note{3});
  });
  (void)me.tell(note{1});
  rest();
  EXPECT_EQ(told, tell_result::would_deadlock);
  ASSERT_EQ(cycles.size(), 1u);
  EXPECT_EQ(cycles[0].size, 1u);
  EXPECT_EQ(cycles[0].actors[0], actor_ref<>{me});
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].reason, drop_reason::would_deadlock);
}

/// Actors in a ring, each of which sends two notes to the next for every note it gets, until a
/// limit.
struct ring {
  ring(simulation& in, int size, std::uint32_t capacity) : limit(200) {
    for (int i = 0; i < size; ++i)
      all.push_back(in.spawn({.name = "r" + std::to_string(i), .mailbox = waits_for(capacity)},
                             [this, i](context&, const note&) { pass_on(i); }));
  }
  void pass_on(int from) {
    ++handled;
    for (int i = 0; i < 2 && sent < limit; ++i) {
      ++sent;
      const tell_result said = all[static_cast<std::size_t>(from + 1) % all.size()].tell(note{});
      if (said == tell_result::would_deadlock)
        ++refused;
      else if (said != tell_result::ok)
        ++full;
    }
  }
  const int limit;
  int sent = 0;
  int handled = 0;
  int refused = 0;
  int full = 0;
  std::vector<actor_ref<note>> all;
};

// spec: M4f
TEST_F(outbox_world, a_cycle_of_actors_is_refused_and_reported_once) {
  for (const int size : {2, 3, 12}) {
    cycles.clear();
    ring around{world, size, 1};
    for (const auto& each : around.all)
      ++around.sent, (void)each.tell(note{});
    rest();
    EXPECT_EQ(around.sent, around.handled + around.refused + around.full) << size;
    EXPECT_GT(around.refused, 0) << size;
    ASSERT_FALSE(cycles.empty());
    EXPECT_LE(cycles.size(), static_cast<std::size_t>(size)) << "once for each sender";
    for (const backpressure_cycle& each : cycles) {
      EXPECT_EQ(each.size, static_cast<std::uint32_t>(size));
      const auto at = std::find(around.all.begin(), around.all.end(), each.actors[0]);
      ASSERT_NE(at, around.all.end());
      for (std::uint32_t i = 0; i < each.size && i < backpressure_cycle::most; ++i)
        EXPECT_EQ(each.actors[i],
                  actor_ref<>{around.all[static_cast<std::size_t>(at - around.all.begin() + i) %
                                         around.all.size()]});
    }
    for (const auto& each : around.all)
      world.stop(each);
    rest();
  }
}

/// Two actors fill the mailbox of `hub`, wait, and let it send to their own full mailboxes.
struct two_cycles {
  explicit two_cycles(simulation& in) : world(in) {
    hub = world.spawn({.name = "hub", .mailbox = waits_for(1)}, [this](context&, const note&) {
      for (const auto& each : others)
        refused += each.tell(note{}) == tell_result::would_deadlock ? 1 : 0;
    });
    for (const char* const name : {"left", "right"})
      others.push_back(
          world.spawn({.name = name, .mailbox = waits_for(1)}, [this](context&, const note& n) {
            for (int i = 0; i < n.number; ++i)
              (void)hub.tell(note{});
          }));
  }
  /// Closes both cycles, several times each.
  void close() {
    EXPECT_TRUE(world.suspend(hub));
    (void)world.run_to_idle();
    for (const auto& each : others) {
      (void)each.tell(note{5});
      (void)world.run_to_idle();
      (void)each.tell(note{});
    }
    (void)world.run_to_idle();
    EXPECT_TRUE(world.resume(hub));
    (void)world.run_to_idle();
  }
  simulation& world;
  actor_ref<note> hub;
  std::vector<actor_ref<note>> others;
  int refused = 0;
};

// spec: M4f
TEST_F(outbox_world, each_of_two_cycles_is_reported_once_and_again_after_a_while) {
  two_cycles both{world};
  rest();
  both.close();
  EXPECT_GT(both.refused, 4) << "several messages of each";
  EXPECT_EQ(cycles.size(), 2u);
  both.close();
  EXPECT_EQ(cycles.size(), 2u) << "it was reported a moment ago";
  world.run_for(2s);
  const int before = both.refused;
  both.close();
  EXPECT_GT(both.refused, before);
  EXPECT_EQ(cycles.size(), 4u);
}

TEST(reported_cycles, forget_the_receiver_that_was_met_least_recently) {
  internal::reported_cycles all;
  constexpr std::uint64_t places = sizeof(void*) == 8 ? 16 : 4;
  for (std::uint64_t i = 1; i <= places; ++i)
    EXPECT_TRUE(all.is_new(i, 0)) << i;
  for (std::uint64_t i = 1; i <= places; ++i)
    EXPECT_FALSE(all.is_new(i, i)) << i;
  EXPECT_TRUE(all.is_new(places + 1, places + 1));
  EXPECT_FALSE(all.is_new(2, places + 2));
  EXPECT_TRUE(all.is_new(1, places + 2));
}

// spec: M4b M4c M4f
TEST(outbox_simulation, no_interleaving_of_actors_that_fill_each_other_stops_silently) {
  std::uint64_t refusing = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    simulation world{testkit::seed{seed}};
    std::vector<backpressure_cycle> cycles;
    const auto warned = world.spawn(
        "warned", [&](context&, const backpressure_cycle& each) { cycles.push_back(each); });
    ASSERT_TRUE(world.events().subscribe<backpressure_cycle>(warned));
    ring around{world, 2 + static_cast<int>(seed % 3), 1 + static_cast<std::uint32_t>(seed % 5)};
    for (const auto& each : around.all)
      ++around.sent, (void)each.tell(note{});
    (void)world.run_to_idle();
    ASSERT_EQ(around.sent, around.handled + around.refused + around.full) << seed;
    ASSERT_EQ(cycles.empty(), around.refused == 0) << seed << ": each cycle is reported";
    ASSERT_LE(cycles.size(), around.all.size()) << seed << ": once for each sender";
    for (const backpressure_cycle& each : cycles)
      ASSERT_EQ(each.size, around.all.size()) << seed;
    refusing += around.refused > 0 ? 1 : 0;
    for (const auto& each : around.all)
      ASSERT_EQ(each.tell(note{}), tell_result::ok) << seed << ": nothing waits any more";
  }
  EXPECT_GT(refusing, 500u);
}

}  // namespace
}  // namespace tactor
