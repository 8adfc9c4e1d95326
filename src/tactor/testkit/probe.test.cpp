// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/probe.hpp"

#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace tactor::testkit {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

struct note {
  int number = 0;
};
struct quote {
  std::string item;
  using reply = int;
};
struct parcel {
  std::unique_ptr<int> contents;
};

/// The text of an expectation that is not met.
template <class Expectation>
std::string text_of(Expectation expectation) {
  try {
    expectation();
  } catch (const unmet_expectation& unmet) {
    return unmet.what();
  }
  return "(it was met)";
}
bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// spec: K1
TEST(probe, gives_its_messages_in_order) {
  simulation world{seed{42}};
  auto probe = world.spawn_probe<note, parcel>("probe");
  probe.ref().tell(note{1});
  probe.ref().tell(parcel{std::make_unique<int>(2)});
  probe.ref().tell(note{3});
  EXPECT_EQ(probe.waiting(), 0u);
  EXPECT_EQ(probe.expect<note>().number, 1);
  EXPECT_EQ(*probe.expect<parcel>().contents, 2);
  EXPECT_EQ(probe.expect<note>().number, 3);
  EXPECT_EQ(probe.waiting(), 0u);
}

// spec: K1
TEST(probe, waits_in_virtual_time_until_the_message_comes) {
  simulation world{seed{42}};
  auto probe = world.spawn_probe<note>("probe");
  ASSERT_TRUE(world.schedule_once(2s, probe.ref(), note{5}).has_value());
  EXPECT_EQ(probe.expect<note>().number, 5);
  EXPECT_EQ(world.clock().now().ticks, 2'000'000'000u);
}

// spec: K1
TEST(probe, says_what_it_expected_and_the_seed_when_nothing_comes) {
  simulation world{seed{42}};
  auto probe = world.spawn_probe<note>("probe");
  const std::string text = text_of([&] { (void)probe.expect<note>(); });
  EXPECT_TRUE(has(text, "expected")) << text;
  EXPECT_TRUE(has(text, "note")) << text;
  EXPECT_TRUE(has(text, "note, got nothing")) << text;
  EXPECT_TRUE(has(text, "seed 42")) << text;

  // A message after the timeout does not count.
  ASSERT_TRUE(world.schedule_once(200ms, probe.ref(), note{1}).has_value());
  EXPECT_TRUE(has(text_of([&] { (void)probe.expect<note>(100ms); }), "got nothing"));
  EXPECT_EQ(world.clock().now().ticks, 100'000'000u);
  EXPECT_EQ(probe.expect<note>(100ms).number, 1);
}

// spec: K1
TEST(probe, says_what_came_instead) {
  simulation world{seed{7}};
  auto probe = world.spawn_probe<note, quote>("probe");
  probe.ref().tell(quote{"tea"});
  const std::string text = text_of([&] { (void)probe.expect<note>(); });
  EXPECT_TRUE(has(text, "note, got ")) << text;
  EXPECT_TRUE(has(text, "quote (seed 7)")) << text;
  EXPECT_TRUE(has(text, "seed 7")) << text;
  EXPECT_EQ(probe.expect<quote>().item, "tea");  // it is still there
}

// spec: K1
TEST(probe, expects_silence) {
  simulation world{seed{42}};
  auto probe = world.spawn_probe<note>("probe");
  probe.expect_no_message(50ms);
  EXPECT_EQ(world.clock().now().ticks, 50'000'000u);
  ASSERT_TRUE(world.schedule_once(50ms, probe.ref(), note{1}).has_value());
  const std::string text = text_of([&] { probe.expect_no_message(50ms); });
  EXPECT_TRUE(has(text, "expected no message, got ")) << text;
  EXPECT_TRUE(has(text, "note")) << text;
  EXPECT_TRUE(has(text, "seed 42")) << text;
}

// spec: K1
TEST(probe, fishes_for_the_wanted_message) {
  simulation world{seed{42}};
  auto probe = world.spawn_probe<note, quote>("probe");
  for (int i = 0; i < 5; ++i)
    probe.ref().tell(note{i});
  probe.ref().tell(quote{"x"});
  EXPECT_EQ(probe.fish<note>([](const note& n) { return n.number == 3; }).number, 3);
  EXPECT_EQ(probe.expect<note>().number, 4);
  const std::string text =
      text_of([&] { (void)probe.fish<note>([](const note& n) { return n.number == 9; }); });
  EXPECT_TRUE(has(text, "fished for")) << text;
  EXPECT_TRUE(has(text, "seed 42")) << text;
  EXPECT_EQ(probe.waiting(), 0u);  // what was in between is thrown away
}

// spec: K1
TEST(probe, answers_what_it_took_last) {
  simulation world{seed{42}};
  auto probe = world.spawn_probe<quote, note>("probe");
  auto answer = world.ask(probe.ref(), quote{"tea"}, 1s);
  EXPECT_TRUE(has(text_of([&] { probe.reply<quote>(1); }), "taken last"));
  EXPECT_EQ(probe.expect<quote>().item, "tea");
  probe.reply<quote>(7);
  EXPECT_EQ(std::move(answer).get().value_or(0), 7);
}

// spec: K1 A2b
TEST(probe, that_forgets_an_ask_leaves_it_without_reply) {
  simulation world{seed{42}};
  auto probe = world.spawn_probe<quote, note>("probe");
  auto answer = world.ask(probe.ref(), quote{"tea"}, 1h);
  (void)probe.expect<quote>();
  probe.ref().tell(note{1});
  (void)probe.expect<note>();
  const auto said = std::move(answer).get();
  ASSERT_FALSE(said.has_value());
  EXPECT_EQ(said.error().kind, ask_failure::no_reply);
}

// spec: K1
TEST(probe, knows_the_sender_and_is_shown_by_its_copies) {
  simulation world{seed{42}};
  auto probe = world.spawn_probe<note>("probe");
  auto copy = probe;
  const auto sender = world.spawn("sender", [to = probe.ref()](tactor::context&, const quote&) {
    to.tell(note{1});
    return 0;
  });
  EXPECT_FALSE(probe.sender());
  sender.tell(quote{});
  EXPECT_EQ(copy.expect<note>().number, 1);
  EXPECT_EQ(copy.sender(), sender);
  EXPECT_EQ(probe.waiting(), 0u);
}

// spec: K1
TEST(probe, may_outlive_its_actor) {
  simulation world{seed{42}};
  auto probe = world.spawn_probe<note>("probe");
  probe.ref().tell(note{1});
  world.run_to_idle();
  world.stop(probe.ref());
  world.run_to_idle();
  EXPECT_EQ(probe.expect<note>().number, 1);
  EXPECT_TRUE(has(text_of([&] { (void)probe.expect<note>(); }), "got nothing"));
}

// spec: K1 A2b
TEST(probe, ends_the_asks_that_it_holds_when_it_is_stopped) {
  simulation world{seed{42}};
  auto probe = world.spawn_probe<quote>("probe");
  auto taken = world.ask(probe.ref(), quote{"tea"}, 1h);
  auto waiting = world.ask(probe.ref(), quote{"milk"}, 1h);
  EXPECT_EQ(probe.expect<quote>().item, "tea");
  (void)world.run_to_idle();
  EXPECT_EQ(probe.waiting(), 1u);
  world.stop(probe.ref());
  EXPECT_EQ(std::move(taken).get().error().kind, ask_failure::target_terminated);
  EXPECT_EQ(std::move(waiting).get().error().kind, ask_failure::target_terminated);
  EXPECT_EQ(world.clock().now().ticks, 0u) << "a timeout ended them";
  EXPECT_EQ(probe.expect<quote>().item, "milk");
}

// spec: K1 V3
TEST(probe, expects_the_end_of_an_actor_among_its_messages) {
  simulation world{seed{42}};
  auto probe = world.spawn_probe<note>("probe");
  const auto first = world.spawn("first", [](tactor::context& ctx, const note&) { ctx.stop(); });
  const auto second = world.spawn("second", [](tactor::context& ctx, const note&) { ctx.stop(); });
  probe.watch(first);
  probe.watch(second);
  probe.ref().tell(note{1});
  ASSERT_TRUE(world.schedule_once(1s, second, note{}).has_value());
  EXPECT_EQ(probe.expect<note>().number, 1);
  EXPECT_TRUE(has(text_of([&] { probe.expect_terminated(first, 500ms); }), "got nothing"));
  EXPECT_TRUE(has(text_of([&] { probe.expect_terminated(first); }), "of another actor"));
  EXPECT_TRUE(has(text_of([&] { (void)probe.expect<note>(); }), "terminated"));
  probe.expect_terminated(second);
  probe.ref().tell(note{2});
  EXPECT_TRUE(has(text_of([&] { probe.expect_terminated(first); }), "note"));
  EXPECT_EQ(probe.expect<note>().number, 2);
  first.tell(note{});
  probe.expect_terminated(first);
  probe.expect_no_message();
}

// spec: K1 V3
TEST(probe, expects_the_end_of_an_actor_that_is_gone) {
  simulation world{seed{42}};
  auto probe = world.spawn_probe<note>("probe");
  const auto who = world.spawn_probe<note>("who").ref();
  world.stop(who);
  world.run_to_idle();
  probe.watch(who);
  probe.expect_terminated(who);
  probe.expect_no_message();
}

}  // namespace
}  // namespace tactor::testkit
