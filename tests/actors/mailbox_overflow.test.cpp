// SPDX-License-Identifier: BSL-1.0
// A full mailbox as seen by actors and by observers.
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/behaviour.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using testkit::simulation;

struct note {
  int number = 0;
};
std::string to_string(const note& n) {
  return std::to_string(n.number);
}
struct box {
  std::unique_ptr<int> content;
};
struct question_about {
  int number = 0;
  using reply = int;
};

struct rule_facts {
  overflow_strategy rule;
  drop_reason reason;
  tell_result told;
  std::vector<int> handled;  // of 1, 2, 3 sent to a mailbox for two
  std::string_view lost;
};
const std::vector<rule_facts>& all_rules() {
  static const std::vector<rule_facts> facts{
      {overflow_strategy::drop_oldest, drop_reason::dropped_oldest, tell_result::ok, {2, 3}, "1"},
      {overflow_strategy::drop_newest,
       drop_reason::dropped_newest,
       tell_result::dropped,
       {1, 2},
       "3"},
      {overflow_strategy::reject, drop_reason::full, tell_result::full, {1, 2}, "3"},
      {overflow_strategy::dead_letter, drop_reason::dead_letter_rule, tell_result::ok, {1, 2}, "3"},
  };
  return facts;
}

// A world in which all dead letters are collected.
struct watched_world {
  watched_world() {
    const auto watcher =
        world.spawn("watcher", [this](context&, const dead_letter& each) { lost.push_back(each); });
    EXPECT_TRUE(world.events().subscribe<dead_letter>(watcher));
    (void)world.run_to_idle();
  }
  actor_ref<note> spawn(const mailbox_options& mailbox, std::string_view name = "target") {
    return world.spawn(spawn_options{.name = name, .mailbox = mailbox},
                       [this](context&, const note& n) { handled.push_back(n.number); });
  }

  std::vector<dead_letter> lost;
  std::vector<int> handled;
  simulation world;
};

// spec: M3
// case: MB-03 MB-04 MB-05
TEST(mailbox_overflow, each_rule_is_counted_by_its_reason_and_seen_as_a_dead_letter) {
  for (const rule_facts& rule : all_rules()) {
    watched_world here;
    const auto target = here.spawn({.capacity = 2, .overflow = rule.rule});
    (void)here.world.run_to_idle();
    EXPECT_EQ(target.tell(note{1}), tell_result::ok);
    EXPECT_EQ(target.tell(note{2}), tell_result::ok);
    EXPECT_EQ(here.world.metrics().all_dead_letters(), 0u) << "counted by outcome, not by attempt";
    EXPECT_EQ(target.tell(note{3}), rule.told);
    (void)here.world.run_to_idle();

    EXPECT_EQ(here.handled, rule.handled);
    EXPECT_EQ(here.world.metrics().dead_letters_for(rule.reason), 1u);
    EXPECT_EQ(here.world.metrics().all_dead_letters(), 1u);
    ASSERT_EQ(here.lost.size(), 1u);
    EXPECT_EQ(here.lost[0].reason, rule.reason);
    EXPECT_EQ(here.lost[0].target, actor_ref<>{target});
    EXPECT_NE(here.lost[0].message_type.find("note"), std::string_view::npos);
    EXPECT_TRUE(here.lost[0].message.view().ends_with(rule.lost)) << here.lost[0].message.view();
  }
}

// spec: M3
TEST(mailbox_overflow, the_sender_of_what_was_lost_is_named) {
  for (const rule_facts& rule : all_rules()) {
    watched_world here;
    const auto target = here.spawn({.capacity = 2, .overflow = rule.rule});
    const auto sender = here.world.spawn("sender", [&](context&, const note&) {
      for (int i = 1; i <= 3; ++i)
        (void)target.tell(note{i});
    });
    (void)sender.tell(note{});
    (void)here.world.run_to_idle();
    ASSERT_EQ(here.lost.size(), 1u);
    EXPECT_EQ(here.lost[0].sender, actor_ref<>{sender});
  }
}

// spec: M2
TEST(mailbox_overflow, a_capacity_that_cannot_be_is_refused_with_a_reason) {
  simulation world;
  class quiet : public actor<note> {
  public:
    void receive(context&, const note&) {}
  };
  const auto refusal = [&](const mailbox_options& mailbox) {
    const auto made = world.try_spawn<quiet>(spawn_options{.name = "x", .mailbox = mailbox});
    EXPECT_FALSE(made.has_value());
    return made.has_value() ? spawn_error::no_memory : made.error();
  };
  EXPECT_EQ(refusal({.capacity = 0}), spawn_error::zero_capacity);
  EXPECT_EQ(refusal({.capacity = mailbox_options::most + 1}), spawn_error::capacity_too_large);
  EXPECT_EQ(refusal({.capacity = mailbox_options::unbounded - 1}), spawn_error::capacity_too_large);
  EXPECT_EQ(world.live(), 0u);
  EXPECT_TRUE(world.try_spawn<quiet>(spawn_options{.name = "x", .mailbox = {.capacity = 1}}));
  EXPECT_TRUE(world.try_spawn<quiet>(
      spawn_options{.name = "y", .mailbox = {.capacity = mailbox_options::most}}));
}

// spec: M4a
TEST(mailbox_overflow, without_threads_no_sender_waits_for_capacity) {
  watched_world here;
  const auto target = here.spawn(
      {.capacity = 2, .overflow = overflow_strategy::block_producer, .push_timeout_ms = 60'000});
  (void)here.world.run_to_idle();
  EXPECT_EQ(target.tell(note{1}), tell_result::ok);
  EXPECT_EQ(target.tell(note{2}), tell_result::ok);
  EXPECT_EQ(target.tell(note{3}), tell_result::full);
  (void)here.world.run_to_idle();
  EXPECT_EQ(here.handled, (std::vector{1, 2}));
  EXPECT_EQ(here.world.metrics().dead_letters_for(drop_reason::full), 1u);
}

// spec: M1
TEST(mailbox_overflow, a_stop_gets_through_a_full_mailbox) {
  for (const rule_facts& rule : all_rules()) {
    watched_world here;
    const auto target = here.spawn({.capacity = 2, .overflow = rule.rule, .reserve_for_system = 0});
    (void)here.world.run_to_idle();
    (void)target.tell(note{1});
    (void)target.tell(note{2});
    here.world.stop(target);
    (void)here.world.run_to_idle();

    EXPECT_TRUE(here.handled.empty());
    EXPECT_EQ(here.world.live(), 1u);
    EXPECT_EQ(here.world.metrics().dead_letters_for(drop_reason::stopped), 2u);
    EXPECT_EQ(here.lost.size(), 2u);
  }
}

// spec: M1
// case: MB-15
TEST(mailbox_overflow, a_used_up_reserve_for_system_messages_is_an_event) {
  watched_world here;
  std::vector<actor_ref<>> events;
  const auto watcher =
      here.world.spawn("events", [&](context&, const system_reserve_exhausted& each) {
        events.push_back(each.who);
      });
  ASSERT_TRUE(here.world.events().subscribe<system_reserve_exhausted>(watcher));
  const auto target = here.spawn({.reserve_for_system = 1});
  (void)here.world.run_to_idle();
  const auto post = [&] {
    thread_record& thread = this_thread();
    envelope* const e = internal::enclose<note>(thread, note{7});
    e->from = {};
    const tell_result result = post_system_reserved(*target.slot(), target.generation(), *e);
    if (result != tell_result::ok) discard_envelope(thread, *e);
    return result;
  };
  EXPECT_EQ(post(), tell_result::ok);
  EXPECT_EQ(post(), tell_result::full);
  EXPECT_EQ(post(), tell_result::full);
  (void)here.world.run_to_idle();

  EXPECT_EQ(events, (std::vector{actor_ref<>{target}, actor_ref<>{target}}));
  EXPECT_EQ(here.handled, std::vector{7});
  EXPECT_EQ(post(), tell_result::ok) << "its place is free again";
  here.world.stop(target);
  (void)here.world.run_to_idle();
  EXPECT_EQ(here.world.live(), 2u) << "a stop needs no place";
  EXPECT_EQ(post(), tell_result::closed);
  EXPECT_EQ(here.lost.size(), 1u) << "what was accepted and not handled is a dead letter";
}

// case: MB-07
TEST(mailbox_overflow, a_rejected_message_is_given_back_and_nothing_is_counted) {
  watched_world here;
  std::vector<int> got;
  const auto target = here.world.spawn(spawn_options{.name = "t", .mailbox = {.capacity = 1}},
                                       [&](context&, box b) { got.push_back(*b.content); });
  EXPECT_TRUE(target.try_tell(box{std::make_unique<int>(1)}));
  auto refused = target.try_tell(box{std::make_unique<int>(2)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().why, tell_result::full);
  ASSERT_NE(refused.error().message.content, nullptr);
  EXPECT_EQ(*refused.error().message.content, 2);
  EXPECT_EQ(here.world.metrics().all_dead_letters(), 0u);

  (void)here.world.run_to_idle();
  EXPECT_TRUE(target.try_tell(std::move(refused.error().message)));
  (void)here.world.run_to_idle();
  EXPECT_EQ(got, (std::vector{1, 2}));
  EXPECT_TRUE(here.lost.empty());
}

// case: MB-19
TEST(mailbox_overflow, a_message_that_can_only_be_moved_is_delivered_once_by_every_rule) {
  for (const rule_facts& rule : all_rules()) {
    watched_world here;
    std::vector<int> got;
    const auto target = here.world.spawn(
        spawn_options{.name = "t", .mailbox = {.capacity = 2, .overflow = rule.rule}},
        [&](context&, box b) { got.push_back(*b.content); });
    for (int i = 1; i <= 3; ++i)
      (void)target.tell(box{std::make_unique<int>(i)});
    (void)here.world.run_to_idle();
    EXPECT_EQ(got, rule.handled);
    EXPECT_EQ(here.lost.size(), 1u);
  }
}

// case: MB-21
TEST(mailbox_overflow, an_actor_that_fills_its_own_mailbox_before_it_has_started_starts) {
  class eager : public actor<note> {
  public:
    explicit eager(std::vector<int>* into) : got_(into) {}
    void pre_start(context& ctx) {
      for (int i = 11; i <= 13; ++i)
        (void)ctx.self().tell(note{i});
    }
    void receive(context&, const note& n) { got_->push_back(n.number); }

  private:
    std::vector<int>* got_;
  };
  for (const rule_facts& rule : all_rules()) {
    watched_world here;
    const auto target = here.world.spawn<eager>(
        spawn_options{.name = "t", .mailbox = {.capacity = 2, .overflow = rule.rule}},
        &here.handled);
    (void)target.tell(note{1});  // it has not been run yet
    (void)here.world.run_to_idle();
    EXPECT_EQ(here.handled, rule.rule == overflow_strategy::drop_oldest ? (std::vector{12, 13})
                                                                        : (std::vector{1, 11}));
    EXPECT_EQ(here.lost.size(), 2u);
  }
}

// spec: M3
TEST(mailbox_overflow, an_ask_to_a_full_mailbox_is_answered_at_once) {
  for (const rule_facts& rule : all_rules()) {
    simulation world;
    const auto target =
        world.spawn(spawn_options{.name = "t", .mailbox = {.capacity = 1, .overflow = rule.rule}},
                    [](context&, const question_about& q) { return q.number; });
    auto first = world.ask(target, question_about{1}, 1s);
    auto second = world.ask(target, question_about{2}, 1s);
    const auto one = std::move(first).get();
    const auto two = std::move(second).get();

    const bool oldest = rule.rule == overflow_strategy::drop_oldest;
    const auto& lost = oldest ? one : two;
    const auto& answered = oldest ? two : one;
    ASSERT_FALSE(lost.has_value());
    EXPECT_EQ(lost.error().kind, ask_failure::refused);
    EXPECT_EQ(answered.value_or(0), oldest ? 2 : 1);
  }
}

// A timer's message finds the mailbox full: the rule applies to it as to any other.
// spec: M3
TEST(mailbox_overflow, a_timer_message_to_a_full_mailbox_is_lost_by_the_rule) {
  for (const rule_facts& rule : all_rules()) {
    watched_world here;
    const auto target = here.spawn({.capacity = 2, .overflow = rule.rule});
    (void)here.world.run_to_idle();
    ASSERT_TRUE(here.world.schedule_once(10ms, target, note{3}).has_value());
    const auto filler = here.world.spawn("filler", [&](context&, const note&) {
      (void)target.tell(note{1});
      (void)target.tell(note{2});
    });
    (void)here.world.run_to_idle();
    ASSERT_TRUE(here.world.schedule_once(10ms, filler, note{}).has_value());
    // The filler's timer comes second, so the mailbox is filled by hand right before the first.
    (void)target.tell(note{1});
    (void)target.tell(note{2});
    here.world.clock().jump(10ms);
    EXPECT_GE(here.world.metrics().dead_letters_for(rule.reason), 1u);
    EXPECT_EQ(here.handled.size() + here.lost.size(), 5u) << "each ends in one way";
  }
}

// A subscriber to dead letters whose own mailbox drops its oldest: dead letters of dead letters.
// spec: M3
TEST(mailbox_overflow, dead_letters_that_are_lost_themselves_are_counted_and_come_to_an_end) {
  for (const rule_facts& rule : all_rules()) {
    simulation world;
    std::vector<dead_letter> seen;
    const auto watcher =
        world.spawn(spawn_options{.name = "w", .mailbox = {.capacity = 1, .overflow = rule.rule}},
                    [&](context&, const dead_letter& each) { seen.push_back(each); });
    ASSERT_TRUE(world.events().subscribe<dead_letter>(watcher));
    const auto gone = world.spawn("gone", [](context&, const note&) {});
    const auto sender = world.spawn("sender", [&](context&, const note&) {
      for (int i = 1; i <= 5; ++i)
        (void)gone.tell(note{i});
    });
    world.stop(gone);
    (void)world.run_to_idle();

    for (int i = 1; i <= 5; ++i)
      (void)gone.tell(note{i});  // from outside
    (void)world.run_to_idle();
    EXPECT_EQ(seen.size(), 1u);
    (void)sender.tell(note{});  // and from within
    (void)world.run_to_idle();
    EXPECT_EQ(seen.size(), 2u);
    const std::uint64_t evicted = rule.rule == overflow_strategy::drop_oldest ? 8 : 0;
    EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::dropped_oldest), evicted);
    EXPECT_EQ(world.metrics().all_dead_letters(), 10 + evicted);
    if (rule.rule != overflow_strategy::drop_oldest) {
      EXPECT_EQ(world.events().refused(), 8u);
    }
  }
}

// spec: M7
TEST(mailbox_overflow, messages_of_one_sender_arrive_in_order_by_every_rule_and_seed) {
  for (const rule_facts& rule : all_rules()) {
    for (std::uint64_t from = 0; from < 20; ++from) {
      system_config config;
      config.dispatch.throughput = 3;
      simulation world{testkit::seed{from}, config};
      std::vector<int> last(4, 0);
      bool in_order = true;
      const auto target =
          world.spawn(spawn_options{.name = "t", .mailbox = {.capacity = 7, .overflow = rule.rule}},
                      [&](context&, const note& n) {
                        int& before = last[static_cast<std::size_t>(n.number % 4)];
                        in_order = in_order && before < n.number;
                        before = n.number;
                      });
      for (int who = 0; who < 4; ++who) {
        const auto sender = world.spawn("s", [&, who](context& ctx, const note& n) {
          for (int i = 0; i < 3; ++i)
            (void)target.tell(note{4 * (3 * n.number + i + 1) + who});
          if (n.number < 20) {
            (void)actor_ref<note>{ctx.self().slot(), ctx.self().generation()}.tell(
                note{n.number + 1});
          }
        });
        (void)sender.tell(note{0});
      }
      (void)world.run_to_idle();
      EXPECT_TRUE(in_order) << "seed " << from;
      const metrics_snapshot all = world.metrics();
      EXPECT_EQ(all.messages_handled + all.all_dead_letters(), 4 * (21 + 63u)) << "none is lost";
    }
  }
}

}  // namespace
}  // namespace tactor
