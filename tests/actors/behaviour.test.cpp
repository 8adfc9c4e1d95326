// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/behaviour.hpp"

#include "tactor/core/send/actor_ref.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <expected>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

struct coin {
  int cents = 0;
};
struct push {
  using reply = bool;
};
using turnstile = behaviour<coin, push>;

turnstile unlocked();
turnstile locked() {
  return {[](turnstile::context& ctx, coin) { ctx.become(unlocked()); },
          [](tactor::context&, push) { return false; }};
}
turnstile unlocked() {
  return {[](turnstile::context&, coin) {},
          [](turnstile::context& ctx, push) {
            ctx.become(locked());
            return true;
          }};
}

static_assert(std::is_same_v<turnstile::ref, actor_ref<coin, push>>);

// spec: A1
TEST(behaviour, changes_from_the_next_message_on) {
  simulation world{seed{1}};
  const auto gate = world.spawn("gate", locked());

  EXPECT_FALSE(world.ask(gate, push{}, 1s).get().value());
  gate.tell(coin{5});
  EXPECT_TRUE(world.ask(gate, push{}, 1s).get().value());
  EXPECT_FALSE(world.ask(gate, push{}, 1s).get().value());
}

// spec: A1
TEST(behaviour, of_one_actor_does_not_change_anothers_that_was_spawned_from_the_same) {
  simulation world{seed{1}};
  const turnstile first = locked();
  const auto one = world.spawn("one", first);
  const auto other = world.spawn("other", first);
  one.tell(coin{5});
  EXPECT_TRUE(world.ask(one, push{}, 1s).get().value());
  EXPECT_FALSE(world.ask(other, push{}, 1s).get().value());
}

struct next_is {
  int number = 0;
};
using speaker = behaviour<coin, next_is>;

/// Holds something whose end can be seen, and uses it after `become`.
speaker saying(std::shared_ptr<int> held, std::string* trace) {
  return {[held, trace](speaker::context&, coin) { *trace += std::to_string(*held); },
          [held = std::move(held), trace](speaker::context& ctx, const next_is& next) {
            EXPECT_TRUE(ctx.become(saying(std::make_shared<int>(next.number), trace)));
            trace->append("(")
                .append(std::to_string(*held))
                .append(")");  // still owned by this behaviour
          }};
}

// spec: A1
TEST(behaviour, that_is_replaced_outlives_the_handler_that_replaces_it_and_ends_then) {
  simulation world{seed{1}};
  std::string trace;
  std::weak_ptr<int> first;
  {
    auto held = std::make_shared<int>(1);
    first = held;
    const auto who = world.spawn("who", saying(std::move(held), &trace));
    who.tell(coin{});
    who.tell(next_is{2});
    who.tell(coin{});
    world.run_to_idle();
    EXPECT_EQ(trace, "1(1)2");
    // The behaviour given at spawn is kept, so that the actor can be restarted.
    EXPECT_EQ(first.use_count(), 2);
    world.stop(who);
    world.run_to_idle();
  }
  EXPECT_TRUE(first.expired());
}

// spec: A1
TEST(behaviour, changed_twice_in_one_handler_is_the_last_one) {
  simulation world{seed{1}};
  std::string trace;
  const auto who =
      world.spawn("who", speaker{[&trace](speaker::context&, coin) { trace += "first;"; },
                                 [&trace](speaker::context& ctx, const next_is&) {
                                   ctx.become(saying(std::make_shared<int>(2), &trace));
                                   ctx.become(saying(std::make_shared<int>(3), &trace));
                                 }});
  who.tell(next_is{});
  who.tell(coin{});
  world.run_to_idle();
  EXPECT_EQ(trace, "3");
}

// spec: A1
TEST(behaviour, that_is_empty_changes_nothing) {
  simulation world{seed{1}};
  int seen = 0;
  const auto who = world.spawn("who", speaker{[&seen](speaker::context&, coin) { ++seen; },
                                              [](speaker::context& ctx, const next_is&) {
                                                EXPECT_FALSE(ctx.become(speaker{}));
                                              }});
  who.tell(next_is{});
  who.tell(coin{});
  world.run_to_idle();
  EXPECT_EQ(seen, 1);
  EXPECT_FALSE(speaker{});
}

// spec: A1
TEST(behaviour, spawned_empty_fails_at_its_start) {
  simulation world{seed{1}};
  const auto who = world.spawn("who", speaker{});
  world.run_to_idle();
  EXPECT_EQ(world.live(), 0u);
  EXPECT_EQ(world.metrics().failures, 1u);
  EXPECT_EQ(who.tell(coin{}), tell_result::closed);
}

// spec: A1
TEST(behaviour, is_copied_moved_and_assigned_with_its_lambdas) {
  simulation world{seed{1}};
  const auto held = std::make_shared<int>(1);
  std::string trace;
  {
    speaker a = saying(held, &trace);
    const long once = held.use_count();
    const speaker b = a;
    EXPECT_EQ(held.use_count(), 1 + 2 * (once - 1));
    speaker c = std::move(a);
    EXPECT_EQ(held.use_count(), 1 + 2 * (once - 1));
    c = b;
    EXPECT_EQ(held.use_count(), 1 + 2 * (once - 1));
    c = speaker{};
    EXPECT_EQ(held.use_count(), once);
    const speaker d = c;
    EXPECT_FALSE(d);
  }
  EXPECT_EQ(held.use_count(), 1);
}

struct quote {
  std::string item;
  using reply = int;
};

// spec: A1
TEST(lambda_actor, reads_its_message_and_its_answer_from_its_signature) {
  simulation world{seed{1}};
  int calls = 0;
  const auto prices = world.spawn("prices", [calls](tactor::context&, const quote& q) mutable {
    ++calls;
    return static_cast<int>(q.item.size()) * 10 + calls;
  });
  static_assert(std::is_same_v<decltype(prices), const actor_ref<quote>>);
  EXPECT_EQ(world.ask(prices, quote{"tea"}, 1s).get().value(), 31);
  EXPECT_EQ(world.ask(prices, quote{"tea"}, 1s).get().value(), 32);  // it has state of its own
}

// spec: A1
TEST(lambda_actor, may_become_another_one) {
  simulation world{seed{1}};
  using pricing = behaviour<quote>;
  const auto prices = world.spawn("prices", [](pricing::context& ctx, const quote&) {
    ctx.become([](tactor::context&, const quote&) { return 2; });
    return 1;
  });
  EXPECT_EQ(world.ask(prices, quote{}, 1s).get().value(), 1);
  EXPECT_EQ(world.ask(prices, quote{}, 1s).get().value(), 2);
  EXPECT_EQ(world.ask(prices, quote{}, 1s).get().value(), 2);
}

// spec: A1 I3
TEST(behaviour, that_becomes_and_then_fails_stops_its_actor_like_any_other) {
  simulation world{seed{1}};
  using pricing = behaviour<quote>;
  const auto prices =
      world.spawn("prices", [](pricing::context& ctx, const quote&) -> std::expected<int, failure> {
        ctx.become([](tactor::context&, const quote&) { return 2; });
        return std::unexpected{failure{"no"}};
      });
  const auto answer = world.ask(prices, quote{}, 1s).get();
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().kind, ask_failure::target_failed);
  EXPECT_EQ(world.live(), 0u);
}

struct fail_now {};
struct how_many {
  using reply = int;
};
using counter_behaviour = behaviour<coin, fail_now, how_many>;

/// Its state is what its lambdas capture.
counter_behaviour counting(int start) {
  return {[start](counter_behaviour::context& ctx, coin) { ctx.become(counting(start + 1)); },
          [](counter_behaviour::context&, fail_now) -> std::expected<void, failure> {
            return std::unexpected{failure{"as told"}};
          },
          [start](counter_behaviour::context&, how_many) { return start; }};
}

// spec: A1 V2c
TEST(behaviour, that_is_restarted_begins_with_the_behaviour_given_at_spawn) {
  simulation world{seed{1}};
  const auto who = world.spawn({.name = "who", .on_failure = restart{}}, counting(10));
  who.tell(coin{});
  who.tell(coin{});
  EXPECT_EQ(world.ask(who, how_many{}, 1s).get(), 12) << "the state is in the lambdas";
  who.tell(fail_now{});
  EXPECT_EQ(world.ask(who, how_many{}, 1s).get(), 10);
}

// spec: A1
TEST(behaviour, that_is_resumed_after_a_failure_stays) {
  simulation world{seed{1}};
  const auto who = world.spawn({.name = "who", .on_failure = directive::resume}, counting(10));
  who.tell(coin{});
  who.tell(fail_now{});
  EXPECT_EQ(world.ask(who, how_many{}, 1s).get(), 11);
}

// spec: A1 V2c
TEST(behaviour, has_state_in_mutable_lambdas_that_a_restart_takes_back) {
  simulation world{seed{1}};
  using pricing = behaviour<quote>;
  const auto who = world.spawn(
      {.name = "who", .on_failure = restart{}},
      [calls = 0](pricing::context&, const quote& q) mutable -> std::expected<int, failure> {
        if (q.item.empty()) return std::unexpected{failure{"no item"}};
        return ++calls;
      });
  EXPECT_EQ(world.ask(who, quote{"a"}, 1s).get(), 1);
  EXPECT_EQ(world.ask(who, quote{"a"}, 1s).get(), 2);
  EXPECT_FALSE(world.ask(who, quote{}, 1s).get().has_value());
  EXPECT_EQ(world.ask(who, quote{"a"}, 1s).get(), 1);
}

using door = behaviour<coin, how_many>;

/// Closes when no message came for a while.
door open_door(int closed_before);
door closed_door(int closed) {
  return {[closed](door::context& ctx, coin) {
            EXPECT_TRUE(ctx.set_receive_timeout(1s));
            ctx.become(open_door(closed));
          },
          [closed](door::context&, how_many) { return closed; }};
}
door open_door(int closed_before) {
  return {[](door::context&, coin) {}, [](door::context&, how_many) { return -1; },
          [closed_before](door::context& ctx, const receive_timeout&) {
            ctx.cancel_receive_timeout();
            ctx.become(closed_door(closed_before + 1));
          }};
}

// spec: A1 R1
TEST(behaviour, has_a_receive_timeout_that_the_current_one_handles) {
  simulation world{seed{1}};
  const auto who = world.spawn("who", closed_door(0));
  who.tell(coin{});
  world.run_for(900ms);
  EXPECT_EQ(world.ask(who, how_many{}, 1s).get(), -1) << "open; and a message came";
  world.run_for(990ms);
  EXPECT_EQ(world.ask(who, how_many{}, 1ms).get(), -1);
  world.run_for(1s + 20ms);
  EXPECT_EQ(world.ask(who, how_many{}, 1s).get(), 1);
  world.run_for(10s);
  EXPECT_EQ(world.metrics().all_dead_letters(), 0u);
}

struct ended_one {};
using watcher_behaviour = behaviour<coin, ended_one>;

// spec: A1 V3
TEST(behaviour, watches_with_a_message_that_the_current_one_handles) {
  simulation world{seed{1}};
  int told = 0;
  const auto other = world.spawn("other", locked());
  const auto who = world.spawn(
      "who", watcher_behaviour{
                 [&, other](watcher_behaviour::context& ctx, coin) {
                   EXPECT_TRUE(ctx.watch(other, ended_one{}));
                   ctx.become({[](watcher_behaviour::context&, coin) {},
                               [&told](watcher_behaviour::context&, ended_one) { told = 2; }});
                 },
                 [&told](watcher_behaviour::context&, ended_one) { told = 1; }});
  who.tell(coin{});
  world.run_to_idle();
  world.stop(other);
  world.run_to_idle();
  EXPECT_EQ(told, 2);
}

struct beat {
  int left = 0;
};

// spec: A1
TEST(lambda_actor, schedules_to_itself_by_a_typed_reference) {
  simulation world{seed{1}};
  int beats = 0;
  const auto heart = world.spawn("heart", [&beats](tactor::actor_context<beat>& ctx, beat b) {
    static_assert(std::is_same_v<decltype(ctx.self()), actor_ref<beat>>);
    ++beats;
    if (b.left == 0) return;
    EXPECT_TRUE(ctx.schedule_once(1s, ctx.self(), beat{b.left - 1}));
  });
  heart.tell(beat{3});
  world.run_for(10s);
  EXPECT_EQ(beats, 4);
}

#if defined(__cpp_exceptions)
/// Can be copied so often, and then no more.
struct worn_out {
  explicit worn_out(int* copies_left) : left(copies_left) {}
  worn_out(worn_out&&) noexcept = default;
  worn_out(const worn_out& other) : left(other.left) {
    if (--*left < 0) throw 1;
  }
  worn_out& operator=(const worn_out&) = delete;
  worn_out& operator=(worn_out&&) = delete;
  ~worn_out() = default;

  int* left;
};

// spec: A1 V2c
TEST(behaviour, whose_copy_throws_fails_where_it_is_copied) {
  simulation world{seed{1}};
  int copies_left = 0;
  const behaviour<coin> first{[kept = worn_out{&copies_left}](tactor::context&, coin) {}};
  EXPECT_ANY_THROW((void)world.spawn("never", first)) << "in the code of who spawns it";
  EXPECT_EQ(world.live(), 0u);

  copies_left = 1;
  const auto gate = world.spawn("gate", first);
  world.run_to_idle();  // its instance is made of another copy
  EXPECT_EQ(world.metrics().failures, 1u);
  EXPECT_EQ(gate.tell(coin{}), tell_result::closed);

  copies_left = 2;
  const auto other = world.spawn("other", first);
  world.run_to_idle();
  EXPECT_EQ(other.tell(coin{}), tell_result::ok);
}
#endif

}  // namespace
}  // namespace tactor
