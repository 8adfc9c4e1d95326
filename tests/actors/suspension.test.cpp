// SPDX-License-Identifier: BSL-1.0
// Suspensions as seen by actors and by their controllers.
#include "tactor/core/life/suspension.hpp"

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/suspension_times.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>  // NOLINT(portability-restrict-system-includes): for tests
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace tactor {

using namespace tactor::internal;

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

void fine(const std::expected<void, suspend_error>& said) {
  EXPECT_TRUE(said.has_value());
}

constexpr signal_key door{1};
constexpr signal_key window{2};

// Writes down what it is sent and does what the test says with it.
struct stage : testing::Test {
  simulation world{testkit::seed{7}};
  numbers handled;
  std::function<void(tactor::context&, int)> script;

  [[nodiscard]] actor_ref<note> make(const spawn_options& options = {}) {
    return world.spawn(options, [this](context& ctx, const note& n) {
      handled.push_back(n.number);
      if (script) script(ctx, n.number);
    });
  }
  /// The messages that it was sent, and has handled by now.
  [[nodiscard]] const numbers& after_rest() {
    (void)world.run_to_idle();
    return handled;
  }
  void suspend(const actor_ref<>& whom, suspend_reason reason = suspend_reason::user_defined,
               const resume_condition& until = {}) const {
    EXPECT_TRUE(world.suspend(whom, reason, until).has_value());
  }
  void resume(const actor_ref<>& whom, suspend_reason reason = suspend_reason::user_defined) const {
    EXPECT_TRUE(world.resume(whom, reason).has_value());
  }
  void signal(const actor_ref<>& whom, signal_key key) const {
    EXPECT_TRUE(world.signal(whom, key).has_value());
  }
};

using suspension_messages = stage;

// spec: P1
// case: SR-01
TEST_F(suspension_messages, wait_until_the_actor_is_resumed) {
  const auto who = make();
  suspend(who);
  (void)world.run_to_idle();
  EXPECT_EQ(who.tell(note{1}), tell_result::ok);
  EXPECT_EQ(after_rest(), numbers{});
  resume(who);
  EXPECT_EQ(after_rest(), numbers{1});
  EXPECT_EQ(world.metrics().suspensions, 1u);
  EXPECT_EQ(world.metrics().resumes, 1u);
}

// spec: P1
// case: SR-02
TEST_F(suspension_messages, keep_their_order_and_newer_ones_come_behind) {
  const auto who = make();
  script = [](context& ctx, int number) {
    if (number == 2) fine(ctx.suspend());
  };
  for (int i = 1; i <= 4; ++i)
    who.tell(note{i});
  EXPECT_EQ(after_rest(), (numbers{1, 2}));
  who.tell(note{5});
  who.tell(note{6});
  EXPECT_EQ(after_rest(), (numbers{1, 2}));
  resume(who);
  who.tell(note{7});
  EXPECT_EQ(after_rest(), (numbers{1, 2, 3, 4, 5, 6, 7}));
}

// spec: P1
TEST_F(suspension_messages, wait_also_if_the_suspension_comes_before_the_first) {
  const auto who = make();
  suspend(who);
  who.tell(note{1});
  EXPECT_EQ(after_rest(), numbers{});
  resume(who);
  EXPECT_EQ(after_rest(), numbers{1});
}

// spec: P1
TEST_F(suspension_messages, wait_for_an_actor_that_is_not_ready_when_it_starts) {
  class slow_starter : public actor<note> {
  public:
    explicit slow_starter(numbers* const& into) : into_(into) {}
    void pre_start(context& ctx) {
      fine(ctx.suspend(suspend_reason::await_external, on_signal(door)));
    }
    void receive(context&, const note& n) { into_->push_back(n.number); }

  private:
    numbers* into_;
  };
  const auto who = world.spawn<slow_starter>("slow", &handled);
  who.tell(note{1});
  EXPECT_EQ(after_rest(), numbers{});
  signal(who, door);
  EXPECT_EQ(after_rest(), numbers{1});
}

// spec: P1
TEST_F(suspension_messages, of_an_actor_that_another_one_suspends_wait) {
  const auto who = make();
  const auto keeper = world.spawn("keeper", [who](context& ctx, const note& n) {
    if (n.number == 1) fine(ctx.suspend(who));
    if (n.number == 2) fine(ctx.resume(who));
    if (n.number == 3) fine(ctx.suspend(who, suspend_reason::rate_limit, on_signal(door)));
    if (n.number == 4) fine(ctx.signal(who, door));
  });
  for (int i = 1; i <= 4; ++i) {
    keeper.tell(note{i});
    (void)world.run_to_idle();
    who.tell(note{i});
    EXPECT_EQ(after_rest().size(),
              i % 2 == 0 ? static_cast<std::size_t>(i) : static_cast<std::size_t>(i - 1));
  }
}

// spec: P1
TEST_F(suspension_messages, of_timers_wait_too) {
  const auto who = make();
  suspend(who);
  ASSERT_TRUE(world.schedule_once(10ms, who, note{1}).has_value());
  world.run_for(1s);
  EXPECT_EQ(handled, numbers{});
  who.tell(note{2});
  resume(who);
  EXPECT_EQ(after_rest(), (numbers{1, 2}));
}

// spec: P1, P4
TEST_F(suspension_messages, that_answer_wait_too_and_come_once) {
  const auto adder = world.spawn("adder", [](context&, const sum& s) { return s.number + 1; });
  const auto who = world.spawn("asker", [&, adder](context& ctx, const note& n) {
    ctx.ask(adder, sum{n.number}, 10s, [this](auto answer) { handled.push_back(answer.value()); });
    fine(ctx.suspend());
  });
  who.tell(note{41});
  world.run_for(1s);
  EXPECT_EQ(handled, numbers{});
  resume(who);
  EXPECT_EQ(after_rest(), numbers{42});
}

// spec: P1, P3
TEST_F(suspension_messages, an_ask_past_its_timeout_costs_nothing_and_ends_at_the_resume) {
  const auto silent = world.spawn("silent", [](actor_context<sum>& ctx, const sum&) {
    static reply_to<int> kept;
    kept = ctx.reply_later<int>();
    return kept.as_delegated();
  });
  const auto who = world.spawn("asker", [&, silent](context& ctx, const note& n) {
    ctx.ask(silent, sum{n.number}, 100ms, [this](auto answer) {
      handled.push_back(answer ? 1 : static_cast<int>(answer.error().kind) + 100);
    });
    fine(ctx.suspend());
  });
  who.tell(note{1});
  world.run_for(50ms);
  const std::uint64_t turns = world.metrics().turns;
  world.run_for(10s);
  EXPECT_EQ(handled, numbers{});
  EXPECT_LE(world.metrics().turns, turns + 2) << "a suspended actor is run again and again";
  resume(who);
  world.run_for(1s);
  EXPECT_EQ(handled, numbers{100 + static_cast<int>(ask_failure::timed_out)});
  EXPECT_EQ(world.timers().metrics().active_total, 0u);
}

class watchful : public actor<note> {
public:
  watchful(numbers* const& into, const actor_ref<>& whom) : into_(into), whom_(whom) {}
  void pre_start(context& ctx) {
    EXPECT_TRUE(ctx.watch(whom_, *this).has_value());
    EXPECT_TRUE(ctx.set_receive_timeout(1s, *this).has_value());
  }
  void receive(context&, const note& n) { into_->push_back(n.number); }
  void receive(context&, const terminated&) { into_->push_back(-1); }
  void receive(context&, const receive_timeout&) { into_->push_back(-2); }

private:
  numbers* into_;
  actor_ref<> whom_;
};

// spec: P1
// case: SR-03
TEST_F(suspension_messages, of_the_runtime_for_the_actor_itself_wait_before_user_messages) {
  const auto other = make();
  const auto who = world.spawn<watchful>("watchful", &handled, other);
  (void)world.run_to_idle();
  suspend(who);
  (void)world.run_to_idle();
  who.tell(note{1});
  world.stop(other);
  EXPECT_EQ(after_rest(), numbers{});
  resume(who);
  EXPECT_EQ(after_rest(), (numbers{-1, 1}));
}

// spec: P1
TEST_F(suspension_messages, leave_a_receive_timeout_paused) {
  const auto who = world.spawn<watchful>("watchful", &handled, actor_ref<>{});
  world.run_for(900ms);
  handled.clear();  // the termination of the empty reference
  suspend(who);
  world.run_for(1min);
  EXPECT_EQ(handled, numbers{}) << "told while it was suspended";
  resume(who);
  world.run_for(900ms);
  EXPECT_EQ(handled, numbers{}) << "its time did not start anew";
  world.run_for(200ms);
  EXPECT_EQ(handled, numbers{-2});
}

// spec: P3
// case: SR-11
TEST_F(suspension_messages, in_a_million_make_no_turn) {
  const auto who = make();
  suspend(who);
  (void)world.run_to_idle();
  const std::uint64_t turns = world.metrics().turns;
  constexpr int many = 1'000'000;
  for (int i = 0; i < many; ++i)
    who.tell(note{i});
  EXPECT_EQ(world.run_to_idle(), 0u);
  EXPECT_EQ(world.metrics().turns, turns);
  resume(who);
  numbers expected(many);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_TRUE(after_rest() == expected) << "lost, doubled or out of order";
}

struct rule_facts {
  overflow_strategy rule;
  tell_result told;  // of the third of three, in a mailbox for two
  drop_reason reason;
  numbers survivors;
};
const std::vector<rule_facts>& all_rules() {
  static const std::vector<rule_facts> facts{
      {overflow_strategy::drop_oldest, tell_result::ok, drop_reason::dropped_oldest, {2, 3}},
      {overflow_strategy::drop_newest, tell_result::dropped, drop_reason::dropped_newest, {1, 2}},
      {overflow_strategy::reject, tell_result::full, drop_reason::full, {1, 2}},
      {overflow_strategy::dead_letter, tell_result::ok, drop_reason::dead_letter_rule, {1, 2}},
  };
  return facts;
}

// spec: P1
// case: SR-19
TEST_F(suspension_messages, fill_a_mailbox_with_limits_by_its_rule) {
  for (const rule_facts& facts : all_rules()) {
    handled.clear();
    const auto who = make({.mailbox = {.capacity = 2, .overflow = facts.rule}});
    suspend(who);
    (void)world.run_to_idle();
    const std::uint64_t lost = world.metrics().dead_letters_for(facts.reason);
    EXPECT_EQ(who.tell(note{1}), tell_result::ok);
    EXPECT_EQ(who.tell(note{2}), tell_result::ok);
    EXPECT_EQ(who.tell(note{3}), facts.told);
    EXPECT_EQ(after_rest(), numbers{}) << "rule " << static_cast<int>(facts.rule);
    resume(who);
    EXPECT_EQ(after_rest(), facts.survivors) << "rule " << static_cast<int>(facts.rule);
    EXPECT_EQ(world.metrics().dead_letters_for(facts.reason), lost + 1);
    EXPECT_EQ(who.tell(note{4}), tell_result::ok) << "no room after the resume";
    EXPECT_EQ(after_rest().back(), 4);
  }
}

// spec: P1, P4
TEST_F(suspension_messages, that_were_taken_out_of_a_side_queue_are_kept) {
  const auto who = make({.mailbox = {.capacity = 4, .overflow = overflow_strategy::drop_oldest}});
  script = [](context& ctx, int number) {
    if (number <= 2) fine(ctx.suspend());
  };
  for (int i = 1; i <= 4; ++i)
    who.tell(note{i});
  EXPECT_EQ(after_rest(), numbers{1});
  who.tell(note{5});
  resume(who);
  EXPECT_EQ(after_rest(), (numbers{1, 2}));
  resume(who);
  EXPECT_EQ(after_rest(), (numbers{1, 2, 3, 4, 5}));
}

using suspension_reasons = stage;

// spec: P2
TEST_F(suspension_reasons, form_a_set_and_the_actor_runs_when_it_is_empty) {
  const auto who = make();
  suspend(who, suspend_reason::rate_limit);
  suspend(who, suspend_reason::user_defined);
  suspend(who, suspend_reason::await_external);
  who.tell(note{1});
  EXPECT_EQ(after_rest(), numbers{});
  resume(who, suspend_reason::user_defined);
  EXPECT_EQ(after_rest(), numbers{});
  resume(who, suspend_reason::await_external);
  EXPECT_EQ(after_rest(), numbers{});
  resume(who, suspend_reason::rate_limit);
  EXPECT_EQ(after_rest(), numbers{1});
  EXPECT_EQ(world.metrics().suspensions, 1u);
  EXPECT_EQ(world.metrics().resumes, 1u);
}

// spec: P2
TEST_F(suspension_reasons, count_once_each) {
  const auto who = make();
  for (int i = 0; i < 3; ++i)
    suspend(who, suspend_reason::rate_limit);
  who.tell(note{1});
  EXPECT_EQ(after_rest(), numbers{});
  resume(who, suspend_reason::rate_limit);
  EXPECT_EQ(after_rest(), numbers{1});
  resume(who, suspend_reason::rate_limit);  // nothing to take away
  who.tell(note{2});
  EXPECT_EQ(after_rest(), (numbers{1, 2}));
  EXPECT_EQ(world.metrics().suspensions, 1u);
  EXPECT_EQ(world.metrics().resumes, 1u);
}

// spec: P2
TEST_F(suspension_reasons, of_the_runtime_and_beyond_the_enumerators_are_refused) {
  static constexpr auto beyond = static_cast<suspend_reason>(7);
  const auto who = make();
  for (const suspend_reason own : {suspend_reason::failure, suspend_reason::backpressure, beyond}) {
    EXPECT_EQ(world.suspend(who, own).error(), suspend_error::runtime_reason);
    EXPECT_EQ(world.resume(who, own).error(), suspend_error::runtime_reason);
  }
  script = [](context& ctx, int) {
    for (const suspend_reason own :
         {suspend_reason::failure, suspend_reason::backpressure, beyond}) {
      EXPECT_EQ(ctx.suspend(own).error(), suspend_error::runtime_reason);
      EXPECT_EQ(ctx.resume(own).error(), suspend_error::runtime_reason);
    }
  };
  who.tell(note{1});
  who.tell(note{2});
  EXPECT_EQ(after_rest(), (numbers{1, 2}));
  EXPECT_NE(std::string_view{to_text(suspend_error::runtime_reason)}.find("user_defined"),
            std::string_view::npos);
}

// spec: P3
TEST_F(suspension_reasons, are_taken_away_by_index_too) {
  const auto who = make();
  suspend(who, suspend_reason::rate_limit);
  who.tell(note{1});
  EXPECT_EQ(after_rest(), numbers{});
  fine(notify_resume(who.index(), suspend_reason::rate_limit));
  EXPECT_EQ(after_rest(), numbers{1});
  EXPECT_EQ(notify_resume(who.index(), suspend_reason::failure).error(),
            suspend_error::runtime_reason);
  world.stop(who);
  (void)world.run_to_idle();
  EXPECT_EQ(notify_resume(who.index(), suspend_reason::rate_limit).error(), suspend_error::gone);
}

// spec: P2
TEST_F(suspension_reasons, of_an_actor_that_has_stopped_are_refused) {
  const auto who = make();
  world.stop(who);
  (void)world.run_to_idle();
  EXPECT_EQ(world.suspend(who).error(), suspend_error::gone);
  EXPECT_EQ(world.resume(who).error(), suspend_error::gone);
  EXPECT_EQ(world.signal(who, door).error(), suspend_error::gone);
  EXPECT_EQ(world.suspend(actor_ref<>{}).error(), suspend_error::gone);
}

// spec: P2
TEST_F(suspension_reasons, do_not_reach_the_next_tenant_of_the_slot) {
  const auto first = make();
  suspend(first, suspend_reason::rate_limit, resume_after(1h));
  signal(first, window);
  (void)world.run_to_idle();
  world.stop(first);
  (void)world.run_to_idle();
  const auto second = make();
  second.tell(note{1});
  EXPECT_EQ(after_rest(), numbers{1});
  suspend(second, suspend_reason::user_defined, on_signal(window));
  second.tell(note{2});
  EXPECT_EQ(after_rest(), numbers{1}) << "resumed by a signal for another one";
}

using suspension_conditions = stage;

// spec: P2
// case: SR-06
TEST_F(suspension_conditions, after_a_while_holds_not_earlier) {
  const auto who = make();
  suspend(who, suspend_reason::rate_limit, resume_after(10ms));
  who.tell(note{1});
  world.run_for(5ms);
  EXPECT_EQ(handled, numbers{});
  world.run_for(10ms);
  EXPECT_EQ(handled, numbers{1});
  EXPECT_EQ(world.timers().metrics().active_total, 0u);
}

// spec: P2
TEST_F(suspension_conditions, after_a_while_is_for_one_reason_only) {
  const auto who = make();
  suspend(who, suspend_reason::rate_limit, resume_after(10ms));
  suspend(who, suspend_reason::await_external, resume_after(20ms));
  suspend(who, suspend_reason::user_defined, resume_after(30ms));
  who.tell(note{1});
  world.run_for(29ms);
  EXPECT_EQ(handled, numbers{});
  world.run_for(2ms);
  EXPECT_EQ(handled, numbers{1});
  EXPECT_EQ(world.timers().metrics().active_total, 0u);
}

// spec: P2
TEST_F(suspension_conditions, are_replaced_when_it_is_suspended_again) {
  const auto who = make();
  suspend(who, suspend_reason::rate_limit, resume_after(10ms));
  suspend(who, suspend_reason::rate_limit, resume_after(30ms));
  who.tell(note{1});
  world.run_for(20ms);
  EXPECT_EQ(handled, numbers{}) << "the first condition is still there";
  world.run_for(15ms);
  EXPECT_EQ(handled, numbers{1});

  suspend(who, suspend_reason::rate_limit, resume_after(30ms));
  suspend(who, suspend_reason::rate_limit, resume_after(10ms));
  who.tell(note{2});
  world.run_for(15ms);
  EXPECT_EQ(handled, (numbers{1, 2}));

  suspend(who, suspend_reason::rate_limit, resume_after(10ms));
  suspend(who, suspend_reason::rate_limit);
  who.tell(note{3});
  world.run_for(1h);
  EXPECT_EQ(handled, (numbers{1, 2})) << "a condition that was replaced by none";
  suspend(who, suspend_reason::rate_limit, on_signal(door));
  suspend(who, suspend_reason::rate_limit, on_signal(window));
  signal(who, door);
  EXPECT_EQ(after_rest(), (numbers{1, 2}));
  signal(who, window);
  EXPECT_EQ(after_rest(), (numbers{1, 2, 3}));
  EXPECT_EQ(world.timers().metrics().active_total, 0u);
}

// spec: P2
TEST_F(suspension_conditions, that_hold_after_the_suspension_ended_do_nothing) {
  const auto who = make();
  suspend(who, suspend_reason::rate_limit, resume_after(10ms));
  (void)world.run_to_idle();
  resume(who, suspend_reason::rate_limit);
  (void)world.run_to_idle();
  EXPECT_EQ(world.timers().metrics().active_total, 0u) << "a timer for nothing";
  suspend(who, suspend_reason::rate_limit);
  who.tell(note{1});
  world.run_for(1s);
  EXPECT_EQ(handled, numbers{});
  resume(who, suspend_reason::rate_limit);
  EXPECT_EQ(after_rest(), numbers{1});
}

// spec: P2
TEST_F(suspension_conditions, refuse_delays_that_make_no_sense) {
  const auto who = make();
  EXPECT_EQ(world.suspend(who, suspend_reason::rate_limit, resume_after(0ms)).error(),
            suspend_error::invalid_delay);
  EXPECT_EQ(world.suspend(who, suspend_reason::rate_limit, resume_after(-1ms)).error(),
            suspend_error::invalid_delay);
  EXPECT_EQ(world.suspend(who, suspend_reason::rate_limit, resume_after(24h * 365 * 200)).error(),
            suspend_error::invalid_delay);
  script = [](context& ctx, int number) {
    if (number != 1) return;
    EXPECT_EQ(ctx.suspend(suspend_reason::rate_limit, resume_after(-1ms)).error(),
              suspend_error::invalid_delay);
    EXPECT_EQ(ctx.suspend(suspend_reason::rate_limit, resume_after(24h * 365 * 200)).error(),
              suspend_error::invalid_delay);
  };
  who.tell(note{1});
  who.tell(note{2});
  EXPECT_EQ(after_rest(), (numbers{1, 2}));
}

// spec: P2
// case: SR-07
TEST_F(suspension_conditions, of_one_actor_do_not_concern_another) {
  const auto one = make();
  const auto other = make();
  suspend(one, suspend_reason::await_external, on_signal(door));
  suspend(other, suspend_reason::await_external, on_signal(door));
  (void)world.run_to_idle();
  one.tell(note{1});
  other.tell(note{2});
  signal(other, door);
  EXPECT_EQ(after_rest(), numbers{2});
  signal(one, window);
  EXPECT_EQ(after_rest(), numbers{2});
  signal(one, door);
  EXPECT_EQ(after_rest(), (numbers{2, 1}));
}

// spec: P2
TEST_F(suspension_conditions, that_wait_for_one_signal_are_all_met_by_it) {
  const auto who = make();
  suspend(who, suspend_reason::await_external, on_signal(door));
  suspend(who, suspend_reason::user_defined, on_signal(door));
  who.tell(note{1});
  EXPECT_EQ(after_rest(), numbers{});
  signal(who, door);
  EXPECT_EQ(after_rest(), numbers{1});
}

// spec: P2
TEST_F(suspension_conditions, remember_a_signal_that_came_early_once) {
  const auto who = make();
  signal(who, door);
  signal(who, door);
  (void)world.run_to_idle();
  suspend(who, suspend_reason::await_external, on_signal(door));
  who.tell(note{1});
  EXPECT_EQ(after_rest(), numbers{1}) << "an early signal was forgotten";
  suspend(who, suspend_reason::await_external, on_signal(door));
  who.tell(note{2});
  EXPECT_EQ(after_rest(), numbers{1}) << "an early signal was remembered twice";
  signal(who, door);
  EXPECT_EQ(after_rest(), (numbers{1, 2}));
}

// spec: P2
TEST_F(suspension_conditions, forget_the_oldest_of_seventeen_early_signals_and_count_it) {
  const auto who = make();
  suspension_times seen;
  script = [&](context& ctx, int number) {
    seen = ctx.suspensions();
    const auto key = signal_key{static_cast<std::uint64_t>(number)};
    fine(ctx.suspend(suspend_reason::await_external, on_signal(key)));
  };
  for (std::uint64_t key = 1; key <= 17; ++key)
    signal(who, signal_key{key});
  for (int key = 2; key <= 17; ++key)
    who.tell(note{key});
  EXPECT_EQ(after_rest().size(), 16u) << "one of the newest sixteen was forgotten";
  EXPECT_EQ(seen.forgotten_signals(), 1u);
  who.tell(note{1});
  who.tell(note{99});
  EXPECT_EQ(after_rest().size(), 17u) << "the oldest of seventeen was not forgotten";
}

// spec: P2
TEST(early_signals, are_kept_once_each_and_taken_once) {
  early_signals early;
  EXPECT_TRUE(early.add(door));
  EXPECT_TRUE(early.add(window));
  EXPECT_TRUE(early.add(door));
  EXPECT_EQ(early.count, 2u);
  EXPECT_TRUE(early.take(door));
  EXPECT_FALSE(early.take(door));
  EXPECT_TRUE(early.take(window));
  EXPECT_EQ(early.count, 0u);
}

// spec: P2
TEST(early_signals, forget_the_oldest_when_there_are_sixteen) {
  early_signals early;
  for (std::uint64_t key = 0; key < early_signals::most; ++key)
    EXPECT_TRUE(early.add(signal_key{key}));
  EXPECT_TRUE(early.add(signal_key{0})) << "it is there already";
  EXPECT_FALSE(early.add(signal_key{16}));
  EXPECT_FALSE(early.take(signal_key{0}));
  for (std::uint64_t key = 1; key <= 16; ++key)
    EXPECT_TRUE(early.take(signal_key{key})) << key;
}

using suspension_until_capacity = stage;

// spec: P2
TEST_F(suspension_until_capacity, in_the_own_mailbox_is_refused_with_advice) {
  const auto who = make();
  EXPECT_EQ(world.suspend(who, suspend_reason::rate_limit, when_capacity(who)).error(),
            suspend_error::own_mailbox);
  script = [](context& ctx, int) {
    EXPECT_EQ(ctx.suspend(suspend_reason::rate_limit, when_capacity(ctx.self())).error(),
              suspend_error::own_mailbox);
  };
  who.tell(note{1});
  who.tell(note{2});
  EXPECT_EQ(after_rest(), (numbers{1, 2}));
  EXPECT_NE(std::string_view{to_text(suspend_error::own_mailbox)}.find("name the actor"),
            std::string_view::npos);
}

// spec: P2
TEST_F(suspension_until_capacity, ends_at_once_where_there_is_always_capacity) {
  const auto who = make();
  const auto unbounded = world.spawn("unbounded", [](context&, const note&) {});
  suspend(who, suspend_reason::rate_limit, when_capacity(unbounded));
  who.tell(note{1});
  EXPECT_EQ(after_rest(), numbers{1});
  world.stop(unbounded);
  (void)world.run_to_idle();
  suspend(who, suspend_reason::rate_limit, when_capacity(unbounded));
  who.tell(note{2});
  EXPECT_EQ(after_rest(), (numbers{1, 2})) << "of one that is gone";
  suspend(who, suspend_reason::rate_limit, when_capacity(actor_ref<>{}));
  who.tell(note{3});
  EXPECT_EQ(after_rest(), (numbers{1, 2, 3})) << "of nobody";
}

// spec: P2
// case: SR-08
TEST_F(suspension_until_capacity, ends_when_a_message_has_left_the_mailbox_whatever_its_rule) {
  for (const rule_facts& facts : all_rules()) {
    handled.clear();
    const auto down = world.spawn({.mailbox = {.capacity = 2, .overflow = facts.rule}},
                                  [](context&, const note&) {});
    const auto who = make();
    suspend(down);
    (void)world.run_to_idle();
    down.tell(note{1});
    down.tell(note{2});
    suspend(who, suspend_reason::rate_limit, when_capacity(down));
    who.tell(note{1});
    world.run_for(1s);
    EXPECT_EQ(handled, numbers{}) << "rule " << static_cast<int>(facts.rule);
    resume(down);
    EXPECT_EQ(after_rest(), numbers{1}) << "rule " << static_cast<int>(facts.rule);
  }
}

// spec: P2
TEST_F(suspension_until_capacity, ends_when_the_other_actor_stops) {
  for (const rule_facts& facts : all_rules()) {
    handled.clear();
    const auto down = world.spawn({.mailbox = {.capacity = 1, .overflow = facts.rule}},
                                  [](context&, const note&) {});
    const auto who = make();
    suspend(down);
    (void)world.run_to_idle();
    down.tell(note{1});
    suspend(who, suspend_reason::rate_limit, when_capacity(down));
    who.tell(note{1});
    EXPECT_EQ(after_rest(), numbers{});
    world.stop(down);
    EXPECT_EQ(after_rest(), numbers{1}) << "rule " << static_cast<int>(facts.rule);
  }
}

// spec: P2
TEST_F(suspension_until_capacity, of_many_waiting_actors_ends_for_all) {
  const auto down = world.spawn({.mailbox = {.capacity = 1}}, [](context&, const note&) {});
  suspend(down);
  (void)world.run_to_idle();
  down.tell(note{1});
  std::vector<actor_ref<note>> many;
  for (int i = 0; i < 10; ++i) {
    many.push_back(make());
    suspend(many.back(), suspend_reason::rate_limit, when_capacity(down));
    suspend(many.back(), suspend_reason::user_defined, when_capacity(down));
    many.back().tell(note{i});
  }
  EXPECT_EQ(after_rest(), numbers{});
  resume(down);
  EXPECT_EQ(after_rest().size(), 10u);
}

// spec: P2
TEST_F(suspension_until_capacity, in_many_mailboxes_costs_no_search_among_them) {
  std::vector<actor_ref<note>> full;
  for (int i = 0; i < 2000; ++i) {
    full.push_back(world.spawn({.mailbox = {.capacity = 1}}, [](context&, const note&) {}));
    suspend(full.back());
  }
  (void)world.run_to_idle();
  std::vector<actor_ref<note>> waiting;
  for (const auto& each : full) {
    each.tell(note{0});
    waiting.push_back(make());
    suspend(waiting.back(), suspend_reason::rate_limit, when_capacity(each));
    waiting.back().tell(note{static_cast<int>(waiting.size())});
  }
  EXPECT_EQ(after_rest(), numbers{});
  EXPECT_LE(program_memory.producers.longest_chain(), 16u);
  for (const auto& each : full)
    resume(each);
  EXPECT_EQ(after_rest().size(), full.size());
  EXPECT_EQ(program_memory.producers.longest_chain(), 0u);
}

// spec: P2
TEST_F(suspension_until_capacity, that_is_ended_otherwise_leaves_the_queue_of_the_full_mailbox) {
  const auto down = world.spawn({.mailbox = {.capacity = 1}}, [](context&, const note&) {});
  const auto who = make();
  suspend(down);
  (void)world.run_to_idle();
  down.tell(note{1});
  suspend(who, suspend_reason::rate_limit, when_capacity(down));
  (void)world.run_to_idle();
  EXPECT_EQ(program_memory.producers.longest_chain(), 1u);
  resume(who, suspend_reason::rate_limit);
  (void)world.run_to_idle();
  EXPECT_EQ(program_memory.producers.longest_chain(), 0u);
}

// Sends `left` messages to an actor with a bounded mailbox, and waits for capacity when it is full.
class feeder : public actor<note> {
public:
  feeder(const actor_ref<note>& to, const int& own, const int& left)
      : to_(to), own_(own), left_(left) {}
  void receive(context& ctx, const note&) {
    if (to_.try_tell(note{own_})) --left_;
    if (left_ == 0) return;
    ctx.self().tell(note{});
    fine(ctx.suspend(suspend_reason::rate_limit, when_capacity(to_)));
  }

private:
  actor_ref<note> to_;
  int own_;
  int left_;
};

// spec: P2
TEST_F(suspension_until_capacity, ends_in_the_order_in_which_the_actors_began_to_wait) {
  const auto down = make({.mailbox = {.capacity = 1}});
  suspend(down);
  (void)world.run_to_idle();
  down.tell(note{0});
  for (int i = 1; i <= 20; ++i) {
    world.spawn<feeder>("", down, i, 1).tell(note{});
    (void)world.run_to_idle();
  }
  resume(down);
  numbers expected(21);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(after_rest(), expected);
}

// spec: P2
TEST_F(suspension_until_capacity, of_many_actors_costs_each_message_one_notification) {
  constexpr int senders = 200;
  constexpr int each = 5;
  const auto down = make({.mailbox = {.capacity = 4}});
  for (int i = 0; i < senders; ++i)
    world.spawn<feeder>("", down, i, each).tell(note{});
  const std::uint64_t before = world.metrics().system_messages_handled;
  EXPECT_EQ(after_rest().size(), std::size_t{senders} * each);
  EXPECT_LE(world.metrics().system_messages_handled - before, 2u * senders * each);
}

// spec: P2
TEST_F(suspension_until_capacity, that_one_actor_does_not_use_is_passed_on_to_the_next) {
  const auto down = world.spawn({.mailbox = {.capacity = 1}}, [](context&, const note&) {});
  suspend(down);
  (void)world.run_to_idle();
  down.tell(note{1});
  std::vector<actor_ref<note>> many;
  for (int i = 0; i < 5; ++i) {
    many.push_back(make());
    suspend(many.back(), suspend_reason::rate_limit, when_capacity(down));
    (void)world.run_to_idle();
    many.back().tell(note{i});
  }
  suspend(many[0]);                             // stays suspended when there is capacity
  world.stop(many[1]);                          // is no longer there
  resume(many[2], suspend_reason::rate_limit);  // does not wait any more
  EXPECT_EQ(after_rest(), numbers{2});
  resume(down);
  EXPECT_EQ(after_rest(), (numbers{2, 3, 4}));
}

// spec: P2
TEST_F(suspension_until_capacity, of_an_actor_that_drains_ends_at_once) {
  for (const rule_facts& facts : all_rules()) {
    handled.clear();
    const auto down = world.spawn({.mailbox = {.capacity = 1, .overflow = facts.rule}},
                                  [](context&, const note&) {});
    const auto who = make();
    suspend(down);
    (void)world.run_to_idle();
    down.tell(note{1});
    suspend(who, suspend_reason::rate_limit, when_capacity(down));
    who.tell(note{1});
    EXPECT_EQ(after_rest(), numbers{});
    world.drain(down);
    EXPECT_EQ(after_rest(), numbers{1}) << "rule " << static_cast<int>(facts.rule);
  }
}

// spec: P2
TEST_F(suspension_until_capacity, that_has_ended_is_not_ended_again) {
  const auto down = world.spawn({.mailbox = {.capacity = 1}}, [](context&, const note&) {});
  const auto who = make();
  suspend(down);
  (void)world.run_to_idle();
  down.tell(note{1});
  suspend(who, suspend_reason::rate_limit, when_capacity(down));
  (void)world.run_to_idle();
  resume(who, suspend_reason::rate_limit);
  suspend(who, suspend_reason::rate_limit);
  who.tell(note{1});
  (void)world.run_to_idle();
  resume(down);
  EXPECT_EQ(after_rest(), numbers{});
  resume(who, suspend_reason::rate_limit);
  EXPECT_EQ(after_rest(), numbers{1});
}

// spec: P2
TEST_F(suspension_until_capacity, is_not_ended_by_capacity_for_an_earlier_suspension) {
  // The word is under way when the suspension ends and another one begins, which waits for the same
  // mailbox; and that is full again.
  int staged = 0;
  for (std::uint64_t seeded = 0; seeded < 20; ++seeded) {
    simulation apart{testkit::seed{seeded}};
    bool left = false;
    bool went_on = false;
    const auto down = apart.spawn({.mailbox = {.capacity = 1}}, [&](context& ctx, const note&) {
      left = true;
      fine(ctx.suspend());
    });
    const auto who = apart.spawn("who", [&](context&, const note&) { went_on = true; });
    fine(apart.suspend(down));
    (void)apart.run_to_idle();
    down.tell(note{1});
    fine(apart.suspend(who, suspend_reason::rate_limit, when_capacity(down)));
    (void)apart.run_to_idle();
    fine(apart.resume(who, suspend_reason::rate_limit));
    fine(apart.suspend(who, suspend_reason::rate_limit, when_capacity(down)));
    fine(apart.resume(down));
    who.tell(note{1});
    (void)apart.run_one();
    if (!left) continue;  // the other one came first
    ++staged;
    down.tell(note{2});
    (void)apart.run_to_idle();
    EXPECT_FALSE(went_on) << "without room, with seed " << seeded;
    fine(apart.resume(down));
    (void)apart.run_to_idle();
    EXPECT_TRUE(went_on) << "with seed " << seeded;
  }
  EXPECT_GT(staged, 0);
}

// Restarts and families.

class fragile : public actor<note> {
public:
  fragile(numbers* const& into, std::function<void(tactor::context&, int)>* const& script)
      : into_(into), script_(script) {}
  std::expected<void, failure> receive(context& ctx, const note& n) {
    into_->push_back(n.number);
    if (*script_) (*script_)(ctx, n.number);
    if (n.number < 0) return std::unexpected{failure{"negative"}};
    return {};
  }

private:
  numbers* into_;
  std::function<void(tactor::context&, int)>* script_;
};

using suspension_and_restart = stage;

// spec: P2, P4
TEST_F(suspension_and_restart, keep_rate_limit_and_user_defined) {
  for (const suspend_reason kept : {suspend_reason::rate_limit, suspend_reason::user_defined}) {
    handled.clear();
    const auto who = world.spawn<fragile>({.on_failure = restart{}}, &handled, &script);
    script = [kept](context& ctx, int number) {
      if (number < 0) fine(ctx.suspend(kept));
    };
    who.tell(note{-1});
    who.tell(note{2});
    EXPECT_EQ(after_rest(), numbers{-1});
    EXPECT_EQ(world.metrics().failures, world.metrics().restarts);
    resume(who, kept);
    EXPECT_EQ(after_rest(), (numbers{-1, 2}));
  }
}

// spec: P2
TEST_F(suspension_and_restart, keep_the_condition_of_what_is_kept) {
  const auto who = world.spawn<fragile>({.on_failure = restart{}}, &handled, &script);
  script = [](context& ctx, int number) {
    if (number == -1) fine(ctx.suspend(suspend_reason::rate_limit, resume_after(1s)));
    if (number == -2) fine(ctx.suspend(suspend_reason::user_defined, on_signal(door)));
  };
  who.tell(note{-1});
  who.tell(note{-2});
  who.tell(note{3});
  world.run_for(500ms);
  EXPECT_EQ(handled, numbers{-1});
  world.run_for(600ms);
  EXPECT_EQ(handled, (numbers{-1, -2}));
  signal(who, door);
  EXPECT_EQ(after_rest(), (numbers{-1, -2, 3}));
}

// Each reason that a restart keeps, with each kind of condition, which holds in the back-off or
// after it.
// spec: P2
TEST_F(suspension_and_restart, keep_every_kind_of_condition_and_one_that_holds_meanwhile_ends_it) {
  for (const suspend_reason kept : {suspend_reason::rate_limit, suspend_reason::user_defined})
    for (const resume_on kind : {resume_on::after, resume_on::signal, resume_on::capacity})
      for (const auto back_off : {10ms, 1000ms}) {
        const auto full = world.spawn({.mailbox = {.capacity = 1}}, [](context&, const note&) {});
        suspend(full);
        (void)world.run_to_idle();
        full.tell(note{0});
        handled.clear();
        const auto who = world.spawn<fragile>(
            {.on_failure = restart{.delay = {.min = back_off, .max = back_off}}}, &handled,
            &script);
        script = [&](context& ctx, int number) {
          const resume_condition until = kind == resume_on::after    ? resume_after(500ms)
                                         : kind == resume_on::signal ? on_signal(door)
                                                                     : when_capacity(full);
          if (number < 0) fine(ctx.suspend(kept, until));
        };
        who.tell(note{-1});
        who.tell(note{2});
        world.run_for(400ms);
        EXPECT_EQ(handled, numbers{-1});
        signal(who, kind == resume_on::signal ? door : window);
        resume(full);
        world.run_for(200ms);
        EXPECT_EQ(handled, back_off < 500ms ? (numbers{-1, 2}) : numbers{-1});
        world.run_for(600ms);
        EXPECT_EQ(handled, (numbers{-1, 2}));
      }
}

// spec: P2
TEST_F(suspension_and_restart, clear_await_external_and_failure) {
  const auto who = world.spawn<fragile>({.on_failure = restart{}}, &handled, &script);
  script = [](context& ctx, int number) {
    if (number < 0) fine(ctx.suspend(suspend_reason::await_external, resume_after(1h)));
  };
  who.tell(note{-1});
  who.tell(note{2});
  EXPECT_EQ(after_rest(), (numbers{-1, 2}));
  EXPECT_EQ(world.timers().metrics().active_total, 0u) << "its timer is still there";
  EXPECT_EQ(world.metrics().suspensions, 1u);
  EXPECT_EQ(world.metrics().resumes, 1u);
}

// spec: P2
TEST_F(suspension_and_restart, leave_what_the_fresh_instance_waits_for) {
  class reconnecting : public actor<note> {
  public:
    explicit reconnecting(numbers* const& into) : into_(into) {}
    void pre_start(context& ctx) {
      fine(ctx.suspend(suspend_reason::await_external, on_signal(door)));
    }
    std::expected<void, failure> receive(context&, const note& n) {
      into_->push_back(n.number);
      if (n.number < 0) return std::unexpected{failure{"negative"}};
      return {};
    }

  private:
    numbers* into_;
  };
  const auto who = world.spawn<reconnecting>({.on_failure = restart{}}, &handled);
  who.tell(note{-1});
  who.tell(note{2});
  EXPECT_EQ(after_rest(), numbers{});
  signal(who, door);
  EXPECT_EQ(after_rest(), numbers{-1}) << "it was to wait once more";
  signal(who, door);
  EXPECT_EQ(after_rest(), (numbers{-1, 2}));
}

// spec: P2, I3
TEST_F(suspension_and_restart, a_failure_is_not_ended_by_a_resume_of_users) {
  const auto who = world.spawn<fragile>(
      {.on_failure = restart{.delay = {.min = 10ms, .max = 10ms}}}, &handled, &script);
  who.tell(note{-1});
  who.tell(note{2});
  (void)world.run_to_idle();
  for (const suspend_reason reason :
       {suspend_reason::await_external, suspend_reason::rate_limit, suspend_reason::user_defined})
    resume(who, reason);
  EXPECT_EQ(after_rest(), numbers{-1});
  world.run_for(20ms);
  EXPECT_EQ(handled, (numbers{-1, 2}));
}

// spec: P4
TEST_F(suspension_and_restart, a_suspension_during_a_back_off_outlasts_it) {
  const auto who = world.spawn<fragile>(
      {.on_failure = restart{.delay = {.min = 10ms, .max = 10ms}}}, &handled, &script);
  who.tell(note{-1});
  who.tell(note{2});
  (void)world.run_to_idle();
  suspend(who);
  world.run_for(1s);
  EXPECT_EQ(handled, numbers{-1});
  resume(who);
  EXPECT_EQ(after_rest(), (numbers{-1, 2}));
}

// A chain of children, each made by its parent: 0 is the eldest.
class link : public actor<note> {
public:
  link(int depth, std::vector<numbers>* const& into, std::vector<actor_ref<note>>* const& refs,
       const supervision& how)
      : depth_(depth), into_(into), refs_(refs), how_(how) {}
  void pre_start(context& ctx) {
    if (depth_ + 1 == static_cast<int>(into_->size())) return;
    const auto next = static_cast<std::size_t>(depth_) + 1;
    (*refs_)[next] = ctx.spawn<link>({.on_failure = how_}, depth_ + 1, into_, refs_, how_);
  }
  void post_restart(context&, const failure&) {}  // its children live on
  void pre_restart(context&, const failure&) {}
  std::expected<void, failure> receive(context&, const note& n) {
    (*into_)[static_cast<std::size_t>(depth_)].push_back(n.number);
    if (n.number < 0) return std::unexpected{failure{"negative"}};
    return {};
  }

private:
  int depth_;
  std::vector<numbers>* into_;
  std::vector<actor_ref<note>>* refs_;
  supervision how_;
};

struct suspension_of_families : testing::Test {
  simulation world{testkit::seed{3}};
  std::vector<numbers> handled = std::vector<numbers>(3);
  std::vector<actor_ref<note>> family = std::vector<actor_ref<note>>(3);

  void make(const supervision& how) {
    family[0] = world.spawn<link>({.on_failure = how}, 0, &handled, &family, how);
    (void)world.run_to_idle();
  }
};

// spec: P2
TEST_F(suspension_of_families, children_are_suspended_with_a_failing_parent_and_resume_with_it) {
  make(restart{.delay = {.min = 10ms, .max = 10ms}});
  family[0].tell(note{-1});
  (void)world.run_to_idle();
  for (int i = 0; i < 3; ++i)
    family[static_cast<std::size_t>(i)].tell(note{i});
  (void)world.run_to_idle();
  EXPECT_EQ(handled, (std::vector<numbers>{{-1}, {}, {}}));
  world.run_for(20ms);
  EXPECT_EQ(handled, (std::vector<numbers>{{-1, 0}, {1}, {2}}));
  EXPECT_EQ(world.metrics().suspensions, 3u);
  EXPECT_EQ(world.metrics().resumes, 3u);
}

// spec: P2
TEST_F(suspension_of_families, a_child_that_was_suspended_before_stays_suspended) {
  make(restart{.delay = {.min = 10ms, .max = 10ms}});
  EXPECT_TRUE(world.suspend(family[1]).has_value());
  (void)world.run_to_idle();
  family[0].tell(note{-1});
  (void)world.run_to_idle();
  for (int i = 0; i < 3; ++i)
    family[static_cast<std::size_t>(i)].tell(note{i});
  world.run_for(20ms);
  EXPECT_EQ(handled, (std::vector<numbers>{{-1, 0}, {}, {2}}));
  EXPECT_TRUE(world.resume(family[1]).has_value());
  (void)world.run_to_idle();
  EXPECT_EQ(handled, (std::vector<numbers>{{-1, 0}, {1}, {2}}));
}

// spec: P2
TEST_F(suspension_of_families, a_child_that_failed_too_waits_for_both) {
  make(restart{.delay = {.min = 1s, .max = 1s}});
  family[1].tell(note{-1});
  (void)world.run_to_idle();
  world.run_for(500ms);
  family[0].tell(note{-1});
  (void)world.run_to_idle();
  for (int i = 0; i < 3; ++i)
    family[static_cast<std::size_t>(i)].tell(note{i});
  world.run_for(600ms);  // the child's own back-off is over, that of its parent is not
  EXPECT_EQ(handled, (std::vector<numbers>{{-1}, {-1}, {}}));
  world.run_for(500ms);
  EXPECT_EQ(handled, (std::vector<numbers>{{-1, 0}, {-1, 1}, {2}}));
}

// spec: P1, P2
TEST_F(suspension_of_families, a_suspended_parent_does_not_suspend_its_children) {
  make({});
  EXPECT_TRUE(world.suspend(family[0]).has_value());
  (void)world.run_to_idle();
  for (int i = 0; i < 3; ++i)
    family[static_cast<std::size_t>(i)].tell(note{i});
  (void)world.run_to_idle();
  EXPECT_EQ(handled, (std::vector<numbers>{{}, {1}, {2}}));
}

// Ends.

using suspension_and_stop = stage;

// spec: P1, P4
// case: SR-03
TEST_F(suspension_and_stop, a_suspended_actor_stops_and_its_messages_end) {
  const auto who = make();
  suspend(who, suspend_reason::rate_limit, resume_after(1h));
  who.tell(note{1});
  who.tell(note{2});
  (void)world.run_to_idle();
  world.stop(who);
  EXPECT_EQ(after_rest(), numbers{});
  EXPECT_EQ(world.live(), 0u);
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::stopped), 2u);
  EXPECT_EQ(world.timers().metrics().active_total, 0u);
}

// spec: P1
TEST_F(suspension_and_stop, a_suspended_actor_drains_when_it_resumes) {
  const auto who = make();
  suspend(who);
  who.tell(note{1});
  who.tell(note{2});
  (void)world.run_to_idle();
  world.drain(who);
  EXPECT_EQ(after_rest(), numbers{});
  EXPECT_EQ(world.live(), 1u);
  EXPECT_EQ(who.tell(note{3}), tell_result::closed);
  resume(who);
  EXPECT_EQ(after_rest(), (numbers{1, 2}));
  EXPECT_EQ(world.live(), 0u);
}

// spec: P1 A5
TEST_F(suspension_and_stop, a_suspended_actor_with_nothing_queued_drains_at_once) {
  for (const mailbox_options& mailbox :
       {mailbox_options{},
        mailbox_options{.capacity = 2, .overflow = overflow_strategy::drop_oldest}}) {
    const auto empty = world.spawn<fragile>({.mailbox = mailbox}, &handled, &script);
    const auto full = world.spawn<fragile>({.mailbox = mailbox}, &handled, &script);
    suspend(empty);
    suspend(full);
    full.tell(note{1});
    (void)world.run_to_idle();
    world.drain(empty);
    world.drain(full);
    (void)world.run_to_idle();
    EXPECT_EQ(world.live(), 1u);
    EXPECT_EQ(after_rest(), numbers{});
    resume(full);
    EXPECT_EQ(after_rest(), numbers{1});
    EXPECT_EQ(world.live(), 0u);
    handled.clear();
  }
}

// spec: P4
TEST_F(suspension_and_stop, a_drain_that_comes_before_the_directive_ends) {
  // The parent says what becomes of its child in a turn of its own, and the drain may come first.
  for (std::uint64_t seeded = 0; seeded < 100; ++seeded) {
    simulation apart{testkit::seed{seeded}};
    numbers seen;
    actor_ref<note> child;
    const auto parent = apart.spawn("parent", [&](context& ctx, const note&) {
      child = ctx.spawn<fragile>({.on_failure = directive::resume}, &seen, &script);
    });
    parent.tell(note{1});
    (void)apart.run_to_idle();
    child.tell(note{-1});
    child.tell(note{2});
    (void)apart.run_one();
    apart.drain(child);
    (void)apart.run_to_idle();
    EXPECT_EQ(apart.live(), 1u) << "the child hangs, with seed " << seeded;
    EXPECT_EQ(seen, (numbers{-1, 2})) << "with seed " << seeded;
  }
}

// spec: P1
TEST_F(suspension_and_stop, the_system_stops_suspended_actors) {
  const auto who = make();
  suspend(who);
  who.tell(note{1});
  (void)world.run_to_idle();
  world.begin_stop();
  (void)world.run_to_idle();
  EXPECT_EQ(world.live(), 0u);
  EXPECT_EQ(handled, numbers{});
  EXPECT_EQ(world.metrics().all_dead_letters(), 1u);
}

// spec: P1
TEST_F(suspension_and_stop, a_handler_that_suspends_and_stops_stops) {
  const auto who = make();
  script = [](context& ctx, int) {
    fine(ctx.suspend(suspend_reason::rate_limit, resume_after(1s)));
    ctx.stop();
  };
  who.tell(note{1});
  who.tell(note{2});
  EXPECT_EQ(after_rest(), numbers{1});
  EXPECT_EQ(world.live(), 0u);
  EXPECT_EQ(world.timers().metrics().active_total, 0u);
}

// Counters and events.

using suspension_is_told = stage;

// spec: P5
// case: SR-09
TEST_F(suspension_is_told, by_counters_and_durations) {
  const auto who = make();
  std::vector<suspension_times> seen;
  script = [&](context& ctx, int) { seen.push_back(ctx.suspensions()); };
  who.tell(note{0});
  (void)world.run_to_idle();
  for (const auto length : {10ms, 20ms}) {
    suspend(who);
    suspend(who, suspend_reason::rate_limit);
    (void)world.run_to_idle();
    world.run_for(length);
    resume(who);
    (void)world.run_to_idle();
    resume(who, suspend_reason::rate_limit);
    who.tell(note{1});
    (void)world.run_to_idle();
  }
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].suspensions(), 0u);
  EXPECT_FALSE(seen[0].total().has_value()) << "absent, not zero";
  EXPECT_EQ(seen[1].suspensions(), 1u);
  EXPECT_EQ(seen[1].resumes(), 1u);
  EXPECT_EQ(seen[1].last(), duration{10ms});
  EXPECT_EQ(seen[1].total(), duration{10ms});
  EXPECT_EQ(seen[2].suspensions(), 2u);
  EXPECT_EQ(seen[2].resumes(), 2u);
  EXPECT_EQ(seen[2].last(), duration{20ms});
  EXPECT_EQ(seen[2].total(), duration{30ms});
  EXPECT_EQ(seen[2].latency(), duration{}) << "no time passes in a simulation that is not told to";
  EXPECT_EQ(world.metrics().suspensions, 2u);
  EXPECT_EQ(world.metrics().resumes, 2u);
}

// spec: P5
TEST_F(suspension_is_told, as_events_of_the_whole_actor) {
  std::vector<std::string> story;
  class listening : public actor<actor_suspended, actor_resumed> {
  public:
    explicit listening(std::vector<std::string>* const& into) : into_(into) {}
    void receive(context&, const actor_suspended& e) {
      into_->push_back("suspended");
      if (e.reasons.has(suspend_reason::rate_limit)) into_->back() += " rate";
      if (e.reasons.has(suspend_reason::user_defined)) into_->back() += " user";
    }
    void receive(context&, const actor_resumed& e) {
      into_->push_back("resumed after " + std::to_string(e.after->nanoseconds() / 1'000'000));
    }

  private:
    std::vector<std::string>* into_;
  };
  const auto listener = world.spawn<listening>("listener", &story);
  EXPECT_TRUE(world.events().subscribe<actor_suspended>(listener));
  EXPECT_TRUE(world.events().subscribe<actor_resumed>(listener));
  const auto who = make();
  suspend(who, suspend_reason::rate_limit);
  (void)world.run_to_idle();
  suspend(who, suspend_reason::user_defined);
  (void)world.run_to_idle();
  world.run_for(7ms);
  resume(who, suspend_reason::rate_limit);
  (void)world.run_to_idle();
  resume(who, suspend_reason::user_defined);
  (void)world.run_to_idle();
  EXPECT_EQ(story, (std::vector<std::string>{"suspended rate", "resumed after 7"}));
}

// spec: P5
TEST_F(suspension_is_told, how_late_it_resumed_also_in_the_first_moment_of_the_clock) {
  const auto who = make();
  suspension_times seen;
  script = [&](context& ctx, int) { seen = ctx.suspensions(); };
  const auto resumed_by = [&](const auto& request) {
    suspend(who, suspend_reason::user_defined, on_signal(door));
    (void)world.run_to_idle();
    request();
    who.tell(note{1});
    (void)world.run_to_idle();
    return seen.latency();
  };
  EXPECT_EQ(resumed_by([&] { resume(who); }), duration{}) << "none, but known";
  EXPECT_EQ(resumed_by([&] { signal(who, door); }), duration{});
  EXPECT_EQ(world.metrics().resumes_timed, 2u);
}

// spec: P5
TEST_F(suspension_is_told, how_late_it_resumed) {
  const auto who = make();
  suspension_times seen;
  script = [&](context& ctx, int) { seen = ctx.suspensions(); };
  suspend(who, suspend_reason::rate_limit, resume_after(10ms));
  (void)world.run_to_idle();
  who.tell(note{1});
  world.clock().jump(15ms);  // the timers are polled late
  (void)world.run_to_idle();
  EXPECT_EQ(seen.last(), duration{15ms});
  ASSERT_TRUE(seen.latency().has_value());
  EXPECT_EQ(*seen.latency(), duration{5ms});
}

}  // namespace
}  // namespace tactor
