// SPDX-License-Identifier: BSL-1.0
// Suspensions against everything that may come at the same time: all orders of a handful of steps.
#include "tactor/core/life/suspension.hpp"

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tactor::testkit {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using numbers = std::vector<int>;

struct note {
  int number = 0;
};
constexpr signal_key door{1};

void fine(const std::expected<void, suspend_error>& said) {
  EXPECT_TRUE(said.has_value());
}

// Writes down what it is sent; fails when that is negative.
class clerk : public actor<note> {
public:
  explicit clerk(numbers* const& into) : into_(into) {}
  void pre_restart(context&, const failure&) {}  // its children live on
  void post_restart(context&, const failure&) {}
  std::expected<void, failure> receive(context&, const note& n) {
    into_->push_back(n.number);
    if (n.number < 0) return std::unexpected{failure{"negative"}};
    return {};
  }

private:
  numbers* into_;
};

struct hire {
  supervision how;
};
// A clerk with one child, which is a clerk, too.
class boss : public actor<note, hire> {
public:
  boss(numbers* const& into, numbers* const& of_child, actor_ref<note>* const& child)
      : into_(into), of_child_(of_child), child_(child) {}
  void pre_restart(context&, const failure&) {}
  void post_restart(context&, const failure&) {}
  void receive(context& ctx, const hire& h) {
    *child_ = ctx.spawn<clerk>({.on_failure = h.how}, of_child_);
  }
  std::expected<void, failure> receive(context&, const note& n) {
    into_->push_back(n.number);
    if (n.number < 0) return std::unexpected{failure{"negative"}};
    return {};
  }

private:
  numbers* into_;
  numbers* of_child_;
  actor_ref<note>* child_;
};

using step = std::function<void()>;
/// Steps that happen in this order, but between the steps of others.
using script = std::vector<step>;

// All orders of the steps of some scripts and of `turns` turns of actors, each in a play of its
// own.
class theatre {
public:
  explicit theatre(std::uint64_t seeded,
                   const system_config& config = {.dispatch = {.throughput = 1}})
      : world(seed{seeded}, config) {}

  simulation world;
  std::uint64_t plays = 0;

  /// `raise` begins a play and returns its scripts; `end` checks the result.
  void play_all(std::size_t turns, const std::function<std::vector<script>()>& raise,
                const std::function<void(const std::string&)>& end) {
    std::vector<std::size_t> order = first_order(turns, raise);
    do {
      const std::vector<script> scripts = raise();
      play(order, scripts);
      (void)world.run_to_idle();
      end(text_of(order));
      stop_all();
      ++plays;
    } while (!testing::Test::HasFailure() && std::next_permutation(order.begin(), order.end()));
  }

private:
  // One number for each step: that of its script. A turn has the last one.
  std::vector<std::size_t> first_order(std::size_t turns,
                                       const std::function<std::vector<script>()>& raise) {
    std::vector<std::size_t> order;
    const std::vector<script> scripts = raise();
    for (std::size_t i = 0; i < scripts.size(); ++i)
      order.insert(order.end(), scripts[i].size(), i);
    order.insert(order.end(), turns, scripts.size());
    stop_all();
    return order;
  }
  void play(const std::vector<std::size_t>& order, const std::vector<script>& scripts) {
    std::vector<std::size_t> done(scripts.size());
    for (const std::size_t who : order) {
      if (who == scripts.size()) {
        (void)world.run_one();
      } else {
        scripts[who][done[who]++]();
      }
    }
  }
  void stop_all() {
    (void)world.run_to_idle();
    for (const actor_ref<>& each : cast)
      world.stop(each);
    (void)world.run_to_idle();
    cast.clear();
    ASSERT_EQ(world.live(), 0u);
  }
  static std::string text_of(const std::vector<std::size_t>& order) {
    std::string text = "in the order ";
    for (const std::size_t who : order)
      text += std::to_string(who);
    return text;
  }

public:
  std::vector<actor_ref<>> cast;  // the actors to stop after the play
};

struct suspension_against : testing::TestWithParam<std::uint64_t> {
  theatre house{GetParam()};
  simulation& world = house.world;
  numbers handled;
  actor_ref<note> who;
  std::uint64_t lost_before = 0;

  void begin(const supervision& how = {}) {
    handled.clear();
    who = world.spawn<clerk>({.on_failure = how}, &handled);
    house.cast.assign(1, who);
    (void)world.run_to_idle();
    lost_before = world.metrics().all_dead_letters();
  }
  script sending(const numbers& all) {
    script steps;
    for (const int number : all)
      steps.push_back([this, number] { (void)who.tell(note{number}); });
    return steps;
  }
  script suspending(suspend_reason reason = suspend_reason::user_defined,
                    const resume_condition& until = {}) {
    return {[=, this] { (void)world.suspend(who, reason, until); },
            [=, this] { (void)world.resume(who, reason); }};
  }
  [[nodiscard]] std::uint64_t lost() const {
    return world.metrics().all_dead_letters() - lost_before;
  }
  // Of messages 1, 2, 3 ...: the first ones were handled, and the others ended once each.
  void expect_first_handled_others_ended(std::size_t sent, const std::string& order) const {
    for (std::size_t i = 0; i < handled.size(); ++i)
      EXPECT_EQ(handled[i], static_cast<int>(i) + 1) << order;
    EXPECT_EQ(handled.size() + lost(), sent) << order;
  }
};

// spec: P4
TEST_P(suspension_against, messages_loses_and_duplicates_none) {
  house.play_all(
      4,
      [this] {
        begin();
        return std::vector{sending({1, 2, 3}), suspending()};
      },
      [this](const std::string& order) { EXPECT_EQ(handled, (numbers{1, 2, 3})) << order; });
  EXPECT_EQ(house.plays, 1260u);
}

// spec: P4
TEST_P(suspension_against, a_stop_loses_and_duplicates_none) {
  house.play_all(
      4,
      [this] {
        begin();
        return std::vector{sending({1, 2}), suspending(), script{[this] { world.stop(who); }}};
      },
      [this](const std::string& order) {
        expect_first_handled_others_ended(2, order);
        EXPECT_EQ(world.live(), 0u) << order;
      });
  EXPECT_EQ(house.plays, 3780u);
}

// spec: P4
TEST_P(suspension_against, a_drain_loses_and_duplicates_none) {
  house.play_all(
      4,
      [this] {
        begin();
        return std::vector{sending({1, 2}), suspending(), script{[this] { world.drain(who); }}};
      },
      [this](const std::string& order) {
        expect_first_handled_others_ended(2, order);
        EXPECT_EQ(world.live(), 0u) << order;
      });
}

// spec: P2, P4
TEST_P(suspension_against, a_second_suspension_loses_and_duplicates_none) {
  house.play_all(
      3,
      [this] {
        begin();
        return std::vector{sending({1, 2}), suspending(), suspending(suspend_reason::rate_limit)};
      },
      [this](const std::string& order) { EXPECT_EQ(handled, (numbers{1, 2})) << order; });
  EXPECT_EQ(house.plays, 7560u);
}

// spec: P2, P4
TEST_P(suspension_against, a_second_suspension_for_the_same_reason_loses_and_duplicates_none) {
  house.play_all(
      3,
      [this] {
        begin();
        return std::vector{sending({1, 2}), suspending(), suspending()};
      },
      [this](const std::string& order) { EXPECT_EQ(handled, (numbers{1, 2})) << order; });
}

// spec: P4
TEST_P(suspension_against, a_restart_loses_and_duplicates_none) {
  for (const supervision& how : {supervision{restart{}}, supervision{directive::resume}}) {
    house.play_all(
        4,
        [&] {
          begin(how);
          return std::vector{sending({1, -2, 3}), suspending()};
        },
        [this](const std::string& order) {
          EXPECT_EQ(handled, (numbers{1, -2, 3})) << order;
          EXPECT_EQ(lost(), 0u) << order;
        });
  }
}

// spec: P4
TEST_P(suspension_against, a_restart_and_a_stop_loses_and_duplicates_none) {
  house.play_all(
      4,
      [this] {
        begin(restart{});
        return std::vector{sending({-1, 2}), suspending(), script{[this] { world.stop(who); }}};
      },
      [this](const std::string& order) {
        EXPECT_TRUE(handled.empty() || handled[0] == -1) << order;
        EXPECT_TRUE(handled.size() < 2 || handled == (numbers{-1, 2})) << order;
        EXPECT_EQ(handled.size() + lost(), 2u) << order;
        EXPECT_EQ(world.live(), 0u) << order;
      });
}

// spec: P4
TEST_P(suspension_against, a_restart_and_a_drain_loses_and_duplicates_none) {
  house.play_all(
      4,
      [this] {
        begin(restart{});
        return std::vector{sending({-1, 2}), suspending(), script{[this] { world.drain(who); }}};
      },
      [this](const std::string& order) {
        EXPECT_EQ(handled.size() + lost(), 2u) << order;
        EXPECT_EQ(world.live(), 0u) << order;
      });
}

// spec: P2, P4
TEST_P(suspension_against, its_signal_never_waits_for_ever) {
  house.play_all(
      3,
      [this] {
        begin();
        const step suspend = [this] {
          fine(world.suspend(who, suspend_reason::await_external, on_signal(door)));
        };
        const step signal = [this] { fine(world.signal(who, door)); };
        return std::vector{sending({1, 2}), script{suspend}, script{signal}};
      },
      [this](const std::string& order) { EXPECT_EQ(handled, (numbers{1, 2})) << order; });
}

// spec: P2, P4
TEST_P(suspension_against, capacity_of_a_mailbox_never_waits_for_ever) {
  for (const overflow_strategy rule :
       {overflow_strategy::drop_oldest, overflow_strategy::drop_newest, overflow_strategy::reject,
        overflow_strategy::dead_letter}) {
    actor_ref<note> down;
    numbers of_down;
    house.play_all(
        4,
        [&] {
          begin();
          of_down.clear();
          down = world.spawn<clerk>({.mailbox = {.capacity = 1, .overflow = rule}}, &of_down);
          house.cast.push_back(down);
          (void)world.run_to_idle();
          const step fill = [&] { (void)down.tell(note{1}); };
          const step wait = [&] {
            fine(world.suspend(who, suspend_reason::rate_limit, when_capacity(down)));
          };
          return std::vector{sending({1}), script{wait}, script{fill, fill}};
        },
        [&](const std::string& order) { EXPECT_EQ(handled, numbers{1}) << order; });
  }
}

// spec: P2, P4
TEST_P(suspension_against, the_end_of_a_full_mailbox_never_waits_for_ever) {
  actor_ref<note> down;
  numbers of_down;
  house.play_all(
      4,
      [&] {
        begin();
        of_down.clear();
        down = world.spawn<clerk>({.mailbox = {.capacity = 1}}, &of_down);
        house.cast.push_back(down);
        (void)world.run_to_idle();
        fine(world.suspend(down));
        (void)world.run_to_idle();
        (void)down.tell(note{1});
        const step wait = [&] {
          fine(world.suspend(who, suspend_reason::rate_limit, when_capacity(down)));
        };
        return std::vector{sending({1, 2}), script{wait}, script{[&] { world.stop(down); }}};
      },
      [&](const std::string& order) { EXPECT_EQ(handled, (numbers{1, 2})) << order; });
}

// spec: P2, P4
TEST_P(suspension_against, the_failure_of_a_parent_loses_and_duplicates_none) {
  numbers of_boss;
  actor_ref<note, hire> chief;
  for (const supervision& how : {supervision{restart{}}, supervision{directive::resume}}) {
    house.play_all(
        4,
        [&] {
          handled.clear();
          of_boss.clear();
          chief = world.spawn<boss>({.on_failure = how}, &of_boss, &handled, &who);
          house.cast.assign(1, chief);
          chief.tell(hire{how});
          (void)world.run_to_idle();
          lost_before = world.metrics().all_dead_letters();
          const step fail = [&] { (void)chief.tell(note{-1}); };
          return std::vector{sending({1, -2, 3}), suspending(), script{fail}};
        },
        [&](const std::string& order) {
          EXPECT_EQ(handled, (numbers{1, -2, 3})) << order;
          EXPECT_EQ(of_boss, numbers{-1}) << order;
          EXPECT_EQ(lost(), 0u) << order;
        });
  }
}

// spec: P4
TEST_P(suspension_against, a_drain_before_the_directive_loses_and_duplicates_none) {
  numbers of_boss;
  actor_ref<note, hire> chief;
  for (const supervision& how : {supervision{restart{}}, supervision{directive::resume}}) {
    house.play_all(
        5,
        [&] {
          handled.clear();
          of_boss.clear();
          chief = world.spawn<boss>("chief", &of_boss, &handled, &who);
          house.cast.assign(1, chief);
          chief.tell(hire{how});
          (void)world.run_to_idle();
          lost_before = world.metrics().all_dead_letters();
          return std::vector{sending({-1, 2}), suspending(), script{[this] { world.drain(who); }}};
        },
        [&](const std::string& order) {
          EXPECT_EQ(handled.size() + lost(), 2u) << order;
          EXPECT_EQ(world.live(), 1u) << "the child hangs " << order;
        });
  }
}

// If several actors are ready, the seed decides which one a turn is for.
INSTANTIATE_TEST_SUITE_P(seeds, suspension_against, testing::Values(1, 2, 3));

std::array<std::size_t, envelope_size_classes> blocks_made() {
  std::array<std::size_t, envelope_size_classes> all{};
  for (unsigned i = 0; i < envelope_size_classes; ++i)
    all[i] = program_memory.envelopes.blocks_made(i);
  return all;
}

// spec: P2, P4
TEST(suspension_cycles, in_hundreds_of_thousands_leave_nothing_behind) {
  constexpr int cycles = 250'000;  // of each of four kinds
  simulation world{seed{5}};
  std::uint64_t count = 0;
  int last = -1;
  const auto who = world.spawn("who", [&](context&, const note& n) {
    EXPECT_EQ(n.number, last + 1);
    last = n.number;
    ++count;
  });
  const auto down = world.spawn({.mailbox = {.capacity = 1}}, [](context&, const note&) {});
  const auto go_round = [&](int number) {
    who.tell(note{number});
    (void)world.run_to_idle();
    EXPECT_EQ(last, number - 1) << "not suspended";
  };
  const auto cycle = [&](int number) {
    switch (number % 4) {
    case 0:
      fine(world.suspend(who));
      go_round(number);
      fine(world.resume(who));
      break;
    case 1:
      fine(world.suspend(who, suspend_reason::rate_limit, resume_after(1ms)));
      go_round(number);
      if (number % 8 == 1) fine(world.resume(who, suspend_reason::rate_limit));
      world.run_for(20ms);
      break;
    case 2:
      fine(world.suspend(who, suspend_reason::await_external, on_signal(signal_key{7})));
      go_round(number);
      fine(world.signal(who, signal_key{7}));
      break;
    default:
      fine(world.suspend(down));
      (void)world.run_to_idle();
      down.tell(note{number});
      fine(world.suspend(who, suspend_reason::user_defined, when_capacity(down)));
      go_round(number);
      fine(world.resume(down));
    }
    (void)world.run_to_idle();
  };
  constexpr int warm = 1000;
  for (int i = 0; i < warm; ++i)
    cycle(i);
  const auto before = blocks_made();
  for (int i = warm; i < 4 * cycles && !testing::Test::HasFailure(); ++i)
    cycle(i);
  EXPECT_EQ(count, std::uint64_t{4} * cycles);
  EXPECT_EQ(blocks_made(), before) << "memory grows";
  EXPECT_EQ(world.timers().metrics().active_total, 0u);
  // Of the actor, and of the mailbox it waited for.
  EXPECT_EQ(world.metrics().suspensions, std::uint64_t{5} * cycles);
  EXPECT_EQ(world.metrics().resumes, std::uint64_t{5} * cycles);
}

}  // namespace
}  // namespace tactor::testkit
