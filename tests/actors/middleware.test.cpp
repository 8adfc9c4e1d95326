// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/turn/middleware.hpp"

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

struct note {
  int number = 0;
};
struct riddle {
  using reply = int;
};

// How an outcome is written.
const char* sign_of(invoke_outcome how) {
  switch (how) {
  case invoke_outcome::done:
    return ">";
  case invoke_outcome::failed:
    return "!";
  case invoke_outcome::unhandled:
    return "?";
  case invoke_outcome::dropped:
    return "x";
  case invoke_outcome::held:
    return "=";
  case invoke_outcome::stashed:
    return "~";
  case invoke_outcome::destroyed:
    return "-";
  }
  return "";
}

// Writes into one text what it is called for.
class scribe final : public middleware {
public:
  scribe(std::string name, std::string* text) : name_(std::move(name)), text_(text) {}
  invoke_decision before_invoke(const invocation& next) noexcept override {
    *text_ += "<" + name_;
    const note* const n = next.message<note>();
    if (n != nullptr && n->number == hold_number && !open)
      return {.what = invoke_decision::kind::hold,
              .reason = suspend_reason::rate_limit,
              .until = resume_after(100ms)};
    if (n != nullptr && n->number == drop_number) return {.what = invoke_decision::kind::drop};
    return {};
  }
  void after_invoke(const invocation& handled, invoke_outcome how) noexcept override {
    *text_ += name_ + sign_of(how);
    last_type = handled.message_type();
    last_sender = handled.sender();
    last_actor = handled.actor();
  }

  int hold_number = -1;
  int drop_number = -1;
  bool open = false;
  std::string_view last_type;
  actor_ref<> last_sender;
  actor_ref<> last_actor;

private:
  std::string name_;
  std::string* text_;
};

class writer : public actor<note, riddle> {
public:
  explicit writer(std::string* text) : text_(text) {}
  std::expected<void, failure> receive(context&, const note& n) {
    *text_ += std::to_string(n.number);
    if (n.number == 9) return std::unexpected{failure{"no"}};
    return {};
  }
  int receive(context&, riddle) { return 42; }

private:
  std::string* text_;
};

struct three {
  std::string text;
  scribe a{"a", &text};
  scribe b{"b", &text};
  scribe c{"c", &text};
  middleware* const all[3] = {&a, &b, &c};
  middleware_chain chain{all};
};

// spec: I2
// case: MW-01
TEST(middleware_of_an_actor, is_called_before_in_order_and_after_in_reverse) {
  three of;
  simulation world;
  const auto who = world.spawn<writer>({.middleware = &of.chain}, &of.text);
  who.tell(note{1});
  who.tell(note{2});
  (void)world.run_to_idle();
  EXPECT_EQ(of.text, "<a<b<c1c>b>a><a<b<c2c>b>a>");
  EXPECT_EQ(of.a.last_actor, actor_ref<>{who});
  EXPECT_NE(of.a.last_type.find("note"), std::string_view::npos);
}

// spec: I2
TEST(middleware_of_an_actor, stands_inside_that_of_the_system) {
  three of;
  middleware* const outer[] = {&of.a, &of.b};
  middleware* const inner[] = {&of.c};
  const middleware_chain of_all{outer};
  const middleware_chain of_one{inner};
  simulation world{seed{1}, system_config{.middleware = &of_all}};
  const auto one = world.spawn<writer>({.middleware = &of_one}, &of.text);
  const auto other = world.spawn<writer>("other", &of.text);
  one.tell(note{1});
  (void)world.run_to_idle();
  EXPECT_EQ(of.text, "<a<b<c1c>b>a>");
  of.text.clear();
  other.tell(note{2});
  (void)world.run_to_idle();
  EXPECT_EQ(of.text, "<a<b2b>a>");
}

// case: MW-02
TEST(middleware_of_an_actor, costs_nothing_when_there_is_none) {
  three of;
  simulation world;
  const auto with = world.spawn<writer>({.middleware = &of.chain}, &of.text);
  const auto without = world.spawn<writer>("without", &of.text);
  with.tell(note{1});
  without.tell(note{1});
  (void)world.run_to_idle();
  EXPECT_TRUE(without.slot()->ordinary);  // on the fast path
  EXPECT_FALSE(without.slot()->extended);
  EXPECT_FALSE(with.slot()->ordinary);
}

// spec: I2
// case: MW-03
TEST(middleware_of_an_actor, may_hold_a_message) {
  three of;
  of.b.hold_number = 1;
  simulation world;
  const auto who = world.spawn<writer>(
      {.mailbox = mailbox_presets::bounded(2), .middleware = &of.chain}, &of.text);
  who.tell(note{1});
  who.tell(note{2});
  (void)world.run_to_idle();
  EXPECT_EQ(of.text, "<a<ba=") << "neither c nor b is told, but a";
  EXPECT_EQ(who.tell(note{3}), tell_result::full);  // it is still in the mailbox
  world.run_for(90ms);
  EXPECT_EQ(of.text, "<a<ba=");
  of.b.open = true;
  world.run_for(20ms);
  EXPECT_EQ(of.text, "<a<ba=<a<b<c1c>b>a><a<b<c2c>b>a>");
}

// A writer with a mailbox of two that evicts the oldest; the second middleware holds the first
// message.
struct evicting_writer {
  explicit evicting_writer(mailbox_order order)
      : who(world.spawn<writer>(
            {.mailbox = {.capacity = 2, .overflow = overflow_strategy::drop_oldest, .order = order},
             .middleware = &of.chain},
            &of.text)) {
    of.b.hold_number = 1;
  }

  three of;
  simulation world;
  actor_ref<note> who;
};

// spec: I2 M2 M3
TEST(middleware_of_an_actor, holds_a_message_within_the_capacity_of_a_mailbox_that_evicts) {
  for (const mailbox_order order : {mailbox_order::arrival, mailbox_order::priority}) {
    evicting_writer w{order};
    w.who.tell(note{1});
    w.who.tell(note{2});
    (void)w.world.run_to_idle();
    EXPECT_EQ(w.of.text, "<a<ba=");
    EXPECT_EQ(w.world.metrics().dead_letters_for(drop_reason::dropped_oldest), 0u);
    EXPECT_EQ(w.who.tell(note{3}), tell_result::ok);
    EXPECT_EQ(w.world.metrics().dead_letters_for(drop_reason::dropped_oldest), 1u)
        << "of the held one, which is the oldest";
    w.of.text.clear();
    w.world.run_for(110ms);
    EXPECT_EQ(w.of.text, "<a<b<c2c>b>a><a<b<c3c>b>a>");
  }
}

// spec: I2 M2
TEST(middleware_of_an_actor, holds_a_message_in_front_of_a_mailbox_that_evicts) {
  for (const mailbox_order order : {mailbox_order::arrival, mailbox_order::priority}) {
    evicting_writer w{order};
    w.who.tell(note{1});
    (void)w.world.run_to_idle();
    w.who.tell(note{2});
    w.of.b.open = true;
    w.of.text.clear();
    w.world.run_for(110ms);
    EXPECT_EQ(w.of.text, "<a<b<c1c>b>a><a<b<c2c>b>a>");
  }
}

// A timer's message that is cancelled while it waits is no message any more: it is neither shown to
// a middleware nor held, so no `before` stays without its `after`, and the actor is not suspended
// for it.
// spec: I2 S4
TEST(middleware_of_an_actor, is_not_asked_about_a_message_that_was_cancelled_in_the_mailbox) {
  for (const mailbox_options& mailbox :
       {mailbox_presets::unbounded, mailbox_presets::bounded(9), mailbox_presets::prioritized}) {
    three of;
    simulation world;
    const auto who = world.spawn<writer>({.mailbox = mailbox, .middleware = &of.chain}, &of.text);
    (void)world.run_to_idle();
    ASSERT_TRUE(world.suspend(who));
    auto due = world.schedule_once(10ms, who, note{1});
    auto again = world.schedule_at_fixed_rate(10ms, 10ms, who, note{2});
    ASSERT_TRUE(due && again);
    world.run_for(20ms);
    EXPECT_TRUE(due->cancel());
    EXPECT_TRUE(again->cancel());
    who.tell(note{3});
    ASSERT_TRUE(world.resume(who));
    (void)world.run_to_idle();
    EXPECT_EQ(of.text, "<a<b<c3c>b>a>");
    EXPECT_EQ(world.metrics().timers.active_total, 0U);
  }
}

// spec: I2
TEST(middleware_of_an_actor, may_drop_a_message) {
  three of;
  of.b.drop_number = 1;
  std::vector<drop_reason> lost;
  simulation world;
  const auto watcher = world.spawn(
      "watcher", [&](context&, const dead_letter& each) { lost.push_back(each.reason); });
  ASSERT_TRUE(world.events().subscribe<dead_letter>(watcher));
  const auto who = world.spawn<writer>({.middleware = &of.chain}, &of.text);
  who.tell(note{1});
  who.tell(note{2});
  (void)world.run_to_idle();
  EXPECT_EQ(of.text, "<a<bax<a<b<c2c>b>a>");
  EXPECT_EQ(lost, std::vector{drop_reason::middleware});
}

// Drops every question.
class silent final : public middleware {
public:
  invoke_decision before_invoke(const invocation& next) noexcept override {
    const bool asked = next.message<riddle>() != nullptr;
    return {.what = asked ? invoke_decision::kind::drop : invoke_decision::kind::proceed};
  }
};

// spec: I2 A2b
TEST(middleware_of_an_actor, that_drops_an_ask_ends_it_at_once_with_an_error_that_names_it) {
  silent rule;
  middleware* const one[] = {&rule};
  const middleware_chain chain{one};
  std::string text;
  simulation world;
  const auto who = world.spawn<writer>({.middleware = &chain}, &text);
  const auto none = world.ask(who, riddle{}, 1s).get();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ask_failure::refused);
  EXPECT_EQ(none.error().waited, 0ms);
  EXPECT_NE(std::string_view{to_text(none.error().kind)}.find("middleware"),
            std::string_view::npos);
}

// spec: I2
TEST(middleware_of_an_actor, is_told_of_failures_and_of_asks) {
  three of;
  simulation world;
  const auto who =
      world.spawn<writer>({.on_failure = directive::resume, .middleware = &of.chain}, &of.text);
  who.tell(note{9});
  (void)world.run_to_idle();
  EXPECT_EQ(of.text, "<a<b<c9c!b!a!");
  of.text.clear();
  EXPECT_EQ(world.ask(who, riddle{}, 1s).get(), 42);
  EXPECT_EQ(of.text, "<a<b<cc>b>a>");
}

TEST(middleware_of_an_actor, sees_messages_of_timers_and_of_the_stash) {
  three of;
  simulation world;
  bool open = false;
  middleware* const one[] = {&of.a};
  const middleware_chain chain{one};
  const auto who =
      world.spawn(spawn_options{.middleware = &chain}, [&](context& ctx, const note& n) {
        if (!open && n.number == 1) {
          EXPECT_TRUE(ctx.stash(n));
        } else {
          of.text += std::to_string(n.number);
          open = true;
          (void)ctx.unstash_all();
        }
      });
  who.tell(note{1});
  ASSERT_TRUE(world.schedule_once(10ms, who, note{2}));
  world.run_for(10ms);
  EXPECT_EQ(of.text, "<aa~<a2a><a1a>");
  of.text.clear();
  of.a.drop_number = 1;
  open = false;
  who.tell(note{3});
  (void)world.run_to_idle();
  EXPECT_EQ(of.text, "<a3a>");
}

// spec: I2
TEST(middleware_of_an_actor, of_both_chains_that_let_a_message_proceed_is_told_of_each_end_once) {
  three of;
  middleware* const outer[] = {&of.a};
  middleware* const inner[] = {&of.b, &of.c};
  const middleware_chain of_all{outer};
  const middleware_chain of_one{inner};
  of.c.drop_number = 1;
  of.c.hold_number = 2;
  simulation world{seed{1}, system_config{.middleware = &of_all}};
  const auto who = world.spawn<writer>({.middleware = &of_one}, &of.text);
  who.tell(note{1});
  (void)world.run_to_idle();
  EXPECT_EQ(of.text, "<a<b<cbxax");
  of.text.clear();
  who.tell(note{2});
  (void)world.run_to_idle();
  EXPECT_EQ(of.text, "<a<b<cb=a=");
  of.text.clear();
  world.stop(who);
  (void)world.run_to_idle();
  EXPECT_EQ(of.text, "") << "the held message is lost in the mailbox";
}

// Cancels a timer when its message is about to be handled, as another thread may.
class canceller final : public middleware {
public:
  invoke_decision before_invoke(const invocation&) noexcept override {
    timer.cancel();
    return {};
  }
  cancellable timer;
};

// spec: I2 S4
TEST(middleware_of_an_actor, is_told_when_the_timer_of_a_message_is_cancelled_meanwhile) {
  for (const mailbox_options& mailbox :
       {mailbox_presets::unbounded, mailbox_presets::bounded(9), mailbox_presets::prioritized}) {
    three of;
    canceller last;
    middleware* const both[] = {&of.a, &last};
    const middleware_chain chain{both};
    simulation world;
    const auto who = world.spawn<writer>({.mailbox = mailbox, .middleware = &chain}, &of.text);
    last.timer = world.schedule_once(10ms, who, note{1}).value_or(cancellable{});
    world.run_for(20ms);
    EXPECT_TRUE(last.timer.is_cancelled());
    EXPECT_EQ(of.text, "<aa-");
    who.tell(note{2});
    (void)world.run_to_idle();
    EXPECT_EQ(of.text, "<aa-<a2a>");
  }
}

// Appends when it goes on.
class slow_writer : public actor<note> {
public:
  explicit slow_writer(std::string* to) : to_(to) {}
  task<void> receive(context& ctx, note n) {
    co_await ctx.sleep(10ms);
    *to_ += std::to_string(n.number);
  }

private:
  std::string* to_;
};

// spec: I2 A3
TEST(middleware_of_an_actor, is_told_when_a_coroutine_has_ended) {
  three of;
  middleware* const one[] = {&of.a};
  const middleware_chain chain{one};
  simulation world{seed{1}};
  const auto who = world.spawn<slow_writer>(spawn_options{.middleware = &chain}, &of.text);
  who.tell(note{1});
  (void)world.run_to_idle();
  EXPECT_EQ(of.text, "<a");
  world.run_for(10ms);
  EXPECT_EQ(of.text, "<a1a>");
}

// Gives actors of one class a small mailbox and refuses those of another name.
class inspector final : public spawn_middleware {
public:
  std::expected<void, spawn_error> before_spawn(spawn_options& options, std::string_view actor_type,
                                                const actor_ref<>& parent) noexcept override {
    if (options.name == "forbidden") return std::unexpected{spawn_error::refused};
    if (actor_type.find("writer") != std::string_view::npos)
      options.mailbox = mailbox_presets::bounded(1);
    has_parent = static_cast<bool>(parent);
    ++seen;
    return {};
  }
  int seen = 0;
  bool has_parent = true;
};

// spec: I2
TEST(middleware_of_spawning, may_change_and_refuse) {
  std::string text;
  inspector check;
  spawn_middleware* const all[] = {&check};
  simulation world{seed{1}, system_config{.spawn_middleware = all}};
  const auto refused = world.try_spawn<writer>("forbidden", &text);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), spawn_error::refused);
  EXPECT_NE(std::string{to_text(spawn_error::refused)}, "");
  const auto who = world.spawn<writer>("who", &text);
  EXPECT_EQ(check.seen, 1);
  EXPECT_FALSE(check.has_parent);
  EXPECT_EQ(who.tell(note{1}), tell_result::ok);
  EXPECT_EQ(who.tell(note{2}), tell_result::full);
}

// Counts what is under way, and how coroutines ended.
class balance final : public middleware {
public:
  invoke_decision before_invoke(const invocation&) noexcept override {
    ++under_way;
    return {};
  }
  void after_invoke(const invocation& handled, invoke_outcome how) noexcept override {
    --under_way;
    types.emplace_back(handled.message_type());
    destroyed += how == invoke_outcome::destroyed ? 1 : 0;
  }
  int under_way = 0;
  int destroyed = 0;
  std::vector<std::string> types;
};
struct fail_now {};
class many_at_once : public actor<note, fail_now> {
public:
  reentrant_task<void> receive(context& ctx, note) { co_await ctx.sleep(1h); }
  std::expected<void, failure> receive(context&, fail_now) {
    return std::unexpected{failure{"now"}};
  }
};

// spec: I2 A3
// case: MW-01
TEST(middleware_of_an_actor, is_told_when_a_coroutine_is_destroyed) {
  balance of;
  middleware* const one[] = {&of};
  const middleware_chain chain{one};
  simulation world{seed{1}};
  const auto who = world.spawn<many_at_once>({.on_failure = restart{}, .middleware = &chain});
  for (int i = 0; i < 3; ++i)
    who.tell(note{i});
  (void)world.run_to_idle();
  EXPECT_EQ(of.under_way, 3);
  who.tell(fail_now{});
  (void)world.run_to_idle();
  EXPECT_EQ(of.under_way, 0) << "a restart has destroyed them";
  EXPECT_EQ(of.destroyed, 3);
  who.tell(note{4});
  (void)world.run_to_idle();
  world.stop(who);
  (void)world.run_to_idle();
  EXPECT_EQ(of.under_way, 0) << "so has a stop";
  EXPECT_EQ(of.destroyed, 4);
  EXPECT_NE(of.types.back().find("note"), std::string::npos);
}

}  // namespace
}  // namespace tactor
