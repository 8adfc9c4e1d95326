// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/testkit/probe.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

struct job {
  int number = 0;
};
struct grow {
  int depth = 0;
};

/// Notes what it handles and when it ends; has as many children as it is told.
class node : public actor<job, grow> {
public:
  node(const std::string& name, std::vector<std::string>* const& trace)
      : name_(name), trace_(trace) {}
  void receive(context&, const job& j) {
    trace_->push_back(name_ + ":" + std::to_string(j.number));
  }
  void receive(context& ctx, const grow& g) {
    if (g.depth == 0) return;
    for (const char* const each : {"a", "b"}) {
      const auto child = ctx.spawn<node>(each, name_ + "/" + each, trace_);
      child.tell(grow{g.depth - 1});
    }
  }
  void post_stop(context& ctx) {
    trace_->push_back(name_ + " ends");
    EXPECT_FALSE(ctx.try_spawn<node>("late", name_, trace_).has_value());
    EXPECT_EQ(ctx.try_spawn<node>("late", name_, trace_).error(), spawn_error::stopping);
    EXPECT_EQ(ctx.self().tell(job{}), tell_result::closed);
  }

private:
  std::string name_;
  std::vector<std::string>* trace_;
};

std::size_t position(const std::vector<std::string>& in, const std::string& what) {
  return static_cast<std::size_t>(std::find(in.begin(), in.end(), what) - in.begin());
}

class stop_test : public ::testing::Test {
protected:
  std::vector<std::string> trace;  // outlives the actors
  simulation world{seed{4}};
};
using stopping = stop_test;

// spec: A2d M9
TEST_F(stopping, now_makes_dead_letters_of_what_is_queued) {
  const auto who = world.spawn<node>("who", "who", &trace);
  world.run_to_idle();
  for (int i = 0; i < 3; ++i)
    who.tell(job{i});
  world.stop(who);
  EXPECT_EQ(who.tell(job{3}), tell_result::ok);  // the stop has not been handled yet
  world.run_to_idle();
  EXPECT_EQ(trace, (std::vector<std::string>{"who ends"}));
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::stopped), 5u);  // one from post_stop
  EXPECT_EQ(world.live(), 0u);
}

// spec: A2c A2d
TEST_F(stopping, an_actor_that_drains_in_a_running_system_may_spawn_and_ends_after_its_child) {
  const auto who = world.spawn<node>("who", "who", &trace);
  const auto other = world.spawn("other", [&](tactor::context& ctx, const job& j) {
    const auto made = ctx.try_spawn<node>("made", "made", &trace);
    ASSERT_TRUE(made.has_value());
    EXPECT_EQ(made->tell(j), tell_result::ok);
  });
  world.run_to_idle();
  ASSERT_TRUE(world.suspend(other));
  other.tell(job{7});
  world.drain(other);
  world.run_to_idle();
  ASSERT_TRUE(world.resume(other));
  world.run_to_idle();
  EXPECT_EQ(trace, (std::vector<std::string>{"made:7", "made ends"}));
  EXPECT_EQ(world.live(), 1u) << "nothing but who";
  EXPECT_EQ(who.tell(job{}), tell_result::ok);
}

// spec: D4 A2c A5
TEST_F(stopping, a_system_accepts_no_new_actors_also_from_actors_that_handle_the_rest) {
  std::vector<spawn_error> said;
  actor_ref<job> child;
  const auto who = world.spawn("who", [&](tactor::context& ctx, const job& j) {
    const auto lambda = [](tactor::context&, const job&) {};
    if (j.number == 0) child = ctx.spawn("child", lambda);
    const auto made = ctx.try_spawn("late", lambda);
    if (!made) said.push_back(made.error());
    if (j.number == 2) child = ctx.spawn("later", lambda);
  });
  who.tell(job{0});
  world.run_to_idle();
  EXPECT_TRUE(said.empty());
  who.tell(job{1});
  who.tell(job{2});
  world.begin_drain();
  EXPECT_EQ(child.tell(job{}), tell_result::ok) << "a child drains after its parent";
  world.run_to_idle();
  EXPECT_EQ(said, (std::vector{spawn_error::stopping, spawn_error::stopping}));
  EXPECT_EQ(child.tell(job{}), tell_result::closed) << "a reference to a stopped actor";
  EXPECT_EQ(world.live(), 0u);
}

// spec: A2d
TEST_F(stopping, by_draining_handles_what_is_queued_first_and_refuses_what_is_new) {
  for (const mailbox_options& mailbox :
       {mailbox_options{}, mailbox_options{.capacity = 10},
        mailbox_options{.capacity = 10, .overflow = overflow_strategy::drop_oldest}}) {
    trace.clear();
    const auto who = world.spawn<node>({.name = "who", .mailbox = mailbox}, "who", &trace);
    const auto late = world.spawn(
        "late", [who](tactor::context&, job) { EXPECT_EQ(who.tell(job{9}), tell_result::closed); });
    world.run_to_idle();
    for (int i = 0; i < 3; ++i)
      who.tell(job{i});
    world.drain(who);
    world.run_to_idle();
    EXPECT_EQ(trace, (std::vector<std::string>{"who:0", "who:1", "who:2", "who ends"}));
    late.tell(job{});
    world.stop(late);
    world.run_to_idle();
    EXPECT_EQ(world.live(), 0u);
  }
}

// spec: A2d
TEST_F(stopping, a_draining_actor_refuses_messages_while_it_still_handles_the_rest) {
  std::vector<tell_result> said;
  actor_ref<job> self;
  self = world.spawn("self", [&](tactor::context&, const job& j) {
    if (j.number > 0) said.push_back(self.tell(job{0}));
  });
  world.run_to_idle();
  self.tell(job{1});
  self.tell(job{2});
  world.drain(self);
  world.run_to_idle();
  EXPECT_EQ(said, (std::vector{tell_result::closed, tell_result::closed}));
  EXPECT_EQ(world.metrics().all_dead_letters(), 2u);
  EXPECT_EQ(world.live(), 0u);
}

// spec: A2d D4
TEST_F(stopping, an_actor_asked_to_drain_while_it_is_in_a_handler_refuses_messages_at_once) {
  for (const mailbox_options& mailbox :
       {mailbox_options{}, mailbox_options{.capacity = 10},
        mailbox_options{.capacity = 10, .overflow = overflow_strategy::drop_oldest}}) {
    std::vector<int> handled;
    actor_ref<job> self;
    self = world.spawn({.mailbox = mailbox}, [&](tactor::context&, const job& j) {
      handled.push_back(j.number);
      if (j.number != 1) return;
      EXPECT_EQ(self.tell(job{2}), tell_result::ok);
      world.drain(self);
      EXPECT_EQ(self.tell(job{3}), tell_result::closed);
      EXPECT_EQ(self.try_tell(job{4}).error().why, tell_result::closed);
    });
    const std::uint64_t before = world.metrics().dead_letters_for(drop_reason::draining);
    self.tell(job{1});
    world.run_to_idle();
    EXPECT_EQ(handled, (std::vector{1, 2}));
    EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::draining), before + 1);
    EXPECT_EQ(world.live(), 0u);
  }
}

// spec: A2d
TEST_F(stopping, at_once_is_stronger_than_draining) {
  const auto who = world.spawn<node>("who", "who", &trace);
  world.run_to_idle();
  who.tell(job{1});
  world.drain(who);
  world.stop(who);
  world.run_to_idle();
  EXPECT_EQ(trace, (std::vector<std::string>{"who ends"}));
}

// spec: A2d
TEST_F(stopping, before_the_first_turn_works_as_well) {
  const auto stopped = world.spawn<node>("stopped", "stopped", &trace);
  stopped.tell(job{1});
  world.stop(stopped);
  const auto drained = world.spawn<node>("drained", "drained", &trace);
  drained.tell(job{1});
  world.drain(drained);
  world.run_to_idle();
  EXPECT_EQ(position(trace, "stopped:1"), trace.size());
  EXPECT_NE(position(trace, "drained:1"), trace.size());
  EXPECT_EQ(world.live(), 0u);
}

// spec: A2d V1
TEST_F(stopping, a_parent_ends_after_all_of_its_children) {
  for (std::uint64_t i = 0; i <= 20; ++i) {
    simulation each{seed{i}};
    trace.clear();
    const auto root = each.spawn<node>("root", "root", &trace);
    root.tell(grow{3});
    each.run_to_idle();
    EXPECT_EQ(each.live(), 15u);
    each.stop(root);
    each.run_to_idle();
    EXPECT_EQ(each.live(), 0u);
    ASSERT_EQ(trace.size(), 15u);
    EXPECT_EQ(trace.back(), "root ends");
    for (const std::string& line : trace) {
      const std::string name = line.substr(0, line.size() - 5);
      const std::size_t slash = name.rfind('/');
      if (slash == std::string::npos) continue;
      EXPECT_LT(position(trace, line), position(trace, name.substr(0, slash) + " ends"))
          << "seed " << i;
    }
  }
}

// spec: A2d
TEST_F(stopping, a_child_leaves_its_parent_and_siblings_alone) {
  const auto root = world.spawn<node>("root", "root", &trace);
  root.tell(grow{2});
  world.run_to_idle();
  EXPECT_EQ(world.live(), 7u);
  world.stop(world.find<job>("root/a"));
  world.run_to_idle();
  EXPECT_EQ(world.live(), 4u);
  EXPECT_FALSE(world.find<job>("root/a"));
  EXPECT_FALSE(world.find<job>("root/a/b"));
  EXPECT_TRUE(world.find<job>("root/b/b"));
  root.tell(job{5});
  world.run_to_idle();
  EXPECT_EQ(trace.back(), "root:5");

  // Its name is free again.
  root.tell(grow{1});
  world.run_to_idle();
  EXPECT_TRUE(world.find<job>("root/a"));
}

// spec: A2c A5
TEST_F(stopping, a_system_ends_all_its_actors_and_takes_no_new_ones) {
  auto refused = world.spawn_probe<spawn_refused>("refused");
  world.events().subscribe<spawn_refused>(refused.ref());
  const auto root = world.spawn<node>("root", "root", &trace);
  root.tell(grow{2});
  world.run_to_idle();
  world.begin_stop();
  EXPECT_EQ(world.try_spawn<node>("late", "late", &trace).error(), spawn_error::stopping);
  const auto late = world.spawn<node>("late", "late", &trace);
  EXPECT_EQ(late.tell(job{1}), tell_result::closed);
  world.begin_stop();  // once more changes nothing
  world.run_to_idle();
  EXPECT_EQ(world.live(), 0u);
  EXPECT_EQ(world.core().now_in(), system_core::phase::stopped);
  EXPECT_EQ(trace.back(), "root ends");
  EXPECT_EQ(root.tell(job{1}), tell_result::closed);
  EXPECT_EQ(world.try_spawn<node>("later", "later", &trace).error(), spawn_error::stopping);
  const auto counted = world.metrics();
  EXPECT_EQ(counted.actors_started, counted.actors_stopped);
}

// spec: A2d A5
TEST_F(stopping, a_system_with_full_mailboxes_makes_dead_letters_of_all_of_it) {
  std::uint64_t sent = 0;
  for (int i = 0; i < 50; ++i) {
    const auto who = world.spawn<node>("who", "who", &trace);
    for (int n = 0; n < i; ++n, ++sent)
      who.tell(job{n});
  }
  world.begin_stop();
  world.run_to_idle();
  EXPECT_EQ(world.live(), 0u);
  std::uint64_t handled = 0;
  for (const std::string& each : trace)
    handled += each.find(':') != std::string::npos ? 1u : 0u;
  // Every message is handled or a dead letter; and 50 from post_stop.
  EXPECT_EQ(world.metrics().all_dead_letters() + handled, sent + 50);
  EXPECT_EQ(world.metrics().messages_handled, handled);
}

// spec: A2d
TEST_F(stopping, an_ended_actor_changes_nothing_for_the_next_tenant_of_its_slot) {
  const auto first = world.spawn<node>("first", "first", &trace);
  world.run_to_idle();
  world.stop(first);
  world.run_to_idle();
  const auto second = world.spawn<node>("second", "second", &trace);
  world.run_to_idle();
  ASSERT_EQ(second.slot(), first.slot());
  world.stop(first);
  world.drain(first);
  world.run_to_idle();
  EXPECT_EQ(world.live(), 1u);
  second.tell(job{7});
  world.run_to_idle();
  EXPECT_EQ(trace.back(), "second:7");
}

// spec: M2 M5
TEST_F(stopping, with_a_full_mailbox_leaves_the_next_tenant_of_the_slot_its_full_capacity) {
  for (const overflow_strategy rule : {overflow_strategy::reject, overflow_strategy::drop_oldest}) {
    const spawn_options options{.name = "full", .mailbox = {.capacity = 3, .overflow = rule}};
    const auto first = world.spawn<node>(options, "first", &trace);
    world.run_to_idle();
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(first.tell(job{i}), tell_result::ok);
    world.stop(first);
    world.run_to_idle();
    const auto second = world.spawn<node>(options, "second", &trace);
    ASSERT_EQ(second.slot(), first.slot());
    const auto before = world.metrics().all_dead_letters();
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(second.tell(job{i}), tell_result::ok);
    EXPECT_EQ(world.metrics().all_dead_letters(), before);
    world.run_to_idle();
    EXPECT_EQ(trace.back(), "second:2");
    world.stop(second);
    world.run_to_idle();
  }
}

// spec: A2d
TEST_F(stopping, from_within_its_own_handler_ends_after_it) {
  std::string seen;
  actor_ref<job> other;
  other = world.spawn("other", [&](tactor::context& ctx, const job& j) {
    ctx.stop();
    seen += std::to_string(j.number);
    EXPECT_EQ(other.tell(job{9}), tell_result::ok);
  });
  other.tell(job{1});
  other.tell(job{2});
  world.run_to_idle();
  EXPECT_EQ(seen, "1");
  EXPECT_EQ(world.metrics().all_dead_letters(), 2u);
}

}  // namespace
}  // namespace tactor
